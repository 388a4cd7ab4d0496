import ai360 from '@lobehub/icons-static-svg/icons/ai360.svg';
import anthropic from '@lobehub/icons-static-svg/icons/anthropic.svg';
import aws from '@lobehub/icons-static-svg/icons/aws.svg';
import azure from '@lobehub/icons-static-svg/icons/azure.svg';
import baidu from '@lobehub/icons-static-svg/icons/baidu.svg';
import chatglm from '@lobehub/icons-static-svg/icons/chatglm.svg';
import cloudflare from '@lobehub/icons-static-svg/icons/cloudflare.svg';
import cohere from '@lobehub/icons-static-svg/icons/cohere.svg';
import deepseek from '@lobehub/icons-static-svg/icons/deepseek.svg';
import dify from '@lobehub/icons-static-svg/icons/dify.svg';
import fastgpt from '@lobehub/icons-static-svg/icons/fastgpt.svg';
import gemini from '@lobehub/icons-static-svg/icons/gemini.svg';
import hunyuan from '@lobehub/icons-static-svg/icons/hunyuan.svg';
import jimeng from '@lobehub/icons-static-svg/icons/jimeng.svg';
import jina from '@lobehub/icons-static-svg/icons/jina.svg';
import kling from '@lobehub/icons-static-svg/icons/kling.svg';
import midjourney from '@lobehub/icons-static-svg/icons/midjourney.svg';
import minimax from '@lobehub/icons-static-svg/icons/minimax.svg';
import mistral from '@lobehub/icons-static-svg/icons/mistral.svg';
import moonshot from '@lobehub/icons-static-svg/icons/moonshot.svg';
import newapi from '@lobehub/icons-static-svg/icons/newapi.svg';
import ollama from '@lobehub/icons-static-svg/icons/ollama.svg';
import openai from '@lobehub/icons-static-svg/icons/openai.svg';
import openrouter from '@lobehub/icons-static-svg/icons/openrouter.svg';
import palm from '@lobehub/icons-static-svg/icons/palm.svg';
import perplexity from '@lobehub/icons-static-svg/icons/perplexity.svg';
import qwen from '@lobehub/icons-static-svg/icons/qwen.svg';
import siliconcloud from '@lobehub/icons-static-svg/icons/siliconcloud.svg';
import spark from '@lobehub/icons-static-svg/icons/spark.svg';
import submodel from '@lobehub/icons-static-svg/icons/submodel.svg';
import suno from '@lobehub/icons-static-svg/icons/suno.svg';
import vertexai from '@lobehub/icons-static-svg/icons/vertexai.svg';
import vidu from '@lobehub/icons-static-svg/icons/vidu.svg';
import vllm from '@lobehub/icons-static-svg/icons/vllm.svg';
import volcengine from '@lobehub/icons-static-svg/icons/volcengine.svg';
import xai from '@lobehub/icons-static-svg/icons/xai.svg';
import xinference from '@lobehub/icons-static-svg/icons/xinference.svg';
import zeroone from '@lobehub/icons-static-svg/icons/zeroone.svg';
import zhipu from '@lobehub/icons-static-svg/icons/zhipu.svg';

/** Addresses of the marks of providers, by the label of the type of channel. Resellers and custom types have none. */
export const providerMarks: Readonly<Record<string, string>> = {
  '360': ai360,
  Alibaba: qwen,
  'Anthropic Claude': anthropic,
  'AWS Claude': aws,
  'Azure OpenAI': azure,
  Baidu: baidu,
  'Baidu V2': baidu,
  Cloudflare: cloudflare,
  Cohere: cohere,
  DeepSeek: deepseek,
  Dify: dify,
  'Google Gemini': gemini,
  'Google PaLM2': palm,
  'iFlytek Spark': spark,
  Jimeng: jimeng,
  Jina: jina,
  'Knowledge base: FastGPT': fastgpt,
  Kling: kling,
  'Midjourney Proxy': midjourney,
  'Midjourney Proxy Plus': midjourney,
  MiniMax: minimax,
  'Mistral AI': mistral,
  Moonshot: moonshot,
  'New API (gateway)': newapi,
  Ollama: ollama,
  OpenAI: openai,
  OpenRouter: openrouter,
  Perplexity: perplexity,
  SiliconCloud: siliconcloud,
  SubModel: submodel,
  'Suno API': suno,
  'Tencent Hunyuan': hunyuan,
  'Vertex AI': vertexai,
  Vidu: vidu,
  vLLM: vllm,
  'Volcano Ark': volcengine,
  xAI: xai,
  Xinference: xinference,
  'Yi (01.AI)': zeroone,
  'Zhipu ChatGLM': chatglm,
  'Zhipu GLM-4V': zhipu,
};
