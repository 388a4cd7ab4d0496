/** Where the content security policy names a nonce for style elements, the page carries it. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
