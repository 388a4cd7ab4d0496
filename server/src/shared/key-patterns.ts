/**
 * The shapes of keys, for errors, logs and guardrails alike. Every pattern has bounded repetitions and begins at a
 * boundary, so that no text needs more than linear time.
 */
export const keyPatterns: readonly RegExp[] = [
  // A line break of a log line is written as two characters.
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:\\[nr]|[A-Za-z0-9+/=\s]){0,8000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
  // OpenAI, Anthropic, DeepSeek and this gateway, a payment provider, Groq, xAI, Cerebras, NVIDIA, Perplexity, Tavily.
  /(?<![A-Za-z0-9_-])(?:sk|pk|rk|gsk|xai|csk|nvapi|pplx|tvly)[-_][A-Za-z0-9_-]{16,300}/g,
  // Hugging Face, Replicate, Fireworks, Jina, GitHub. Their keys have no further underscore, as names of programs do.
  /(?<![A-Za-z0-9_])(?:hf|r8|fw|jina|gh[pousr])_[A-Za-z0-9]{20,255}/g,
  /(?<![A-Za-z0-9_])github_pat_[A-Za-z0-9_]{20,255}/g,
  // AWS, Google, Baidu, Slack.
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])/g,
  /(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{20,60}/g,
  /(?<![A-Za-z0-9])ya29\.[0-9A-Za-z_-]{20,2000}/g,
  /(?<![A-Za-z0-9_-])bce-v3\/[0-9A-Za-z/_-]{16,300}/g,
  /(?<![A-Za-z0-9])xox[abeprs]-[A-Za-z0-9-]{10,200}/g,
  // A JSON Web Token.
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g,
];

/**
 * A shape that short keys of test sites and cut keys have. It is only masked: a guardrail would block names of programs
 * for it.
 */
const shortKeys = /(?<![A-Za-z0-9_-])(?:sk|pk|rk|gsk|xai)-[A-Za-z0-9_-]{6,300}/g;

const maskedPatterns = [...keyPatterns, shortKeys];

/** Replaces every key in a text. */
export const maskKeys = (text: string, replacement: string): string =>
  maskedPatterns.reduce((rest, pattern) => rest.replace(pattern, replacement), text);
