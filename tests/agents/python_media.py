"""Makes calls at a gateway: python_media.py SDK URL KEY RECORDING PICTURE, both in base64.

Each line of standard input is a list of calls, and each line of the output has what they showed, or their refusals.
"""

import base64
import io
import json
import sys

sdk, url, key = sys.argv[1:4]
recording, picture = [base64.b64decode(file) for file in sys.argv[4:6]]


def images_in(pieces):
    return [each.b64_json or each.url for each in pieces if getattr(each, "b64_json", None) or getattr(each, "url", None)]


def drawn(answer, params):
    if not params.get("stream"):
        return {"images": images_in(answer.data)}
    pieces = list(answer)
    return {"events": [each.type for each in pieces], "images": images_in(pieces)}


def transcribed(answer, params):
    if params.get("stream"):
        pieces = list(answer)
        return {"events": [each.type for each in pieces], "text": pieces[-1].text}
    if isinstance(answer, str):
        return {"text": answer}
    if params.get("response_format") != "verbose_json":
        return {"text": answer.text}
    segments = [each.text for each in answer.segments]
    return {"text": answer.text, "language": answer.language, "duration": answer.duration, "segments": segments}


def spoken(client, params):
    content = client.audio.speech.create(**params).read()
    if params.get("stream_format") != "sse":
        return {"sound": base64.b64encode(content).decode()}
    lines = [line[6:] for line in content.decode().splitlines() if line.startswith("data: {")]
    pieces = [json.loads(line) for line in lines]
    return {"events": [each["type"] for each in pieces], "sound": "".join(each.get("audio", "") for each in pieces)}


def with_openai():
    from openai import BadRequestError, OpenAI

    client = OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
    wav = lambda: ("talk.wav", io.BytesIO(recording), "audio/wav")
    png = lambda: ("dot.png", io.BytesIO(picture), "image/png")

    def moderated(params):
        results = client.moderations.create(**params).results
        return {
            "flagged": [each.flagged for each in results],
            "violence": [each.category_scores.violence for each in results],
        }

    methods = {
        "embeddings.create": lambda params: {
            "vectors": [each.embedding for each in client.embeddings.create(**params).data]
        },
        "moderations.create": moderated,
        "images.generate": lambda params: drawn(client.images.generate(**params), params),
        "images.edit": lambda params: drawn(client.images.edit(image=png(), **params), params),
        "images.createVariation": lambda params: drawn(client.images.create_variation(image=png(), **params), params),
        "audio.speech.create": lambda params: spoken(client, params),
        "audio.transcriptions.create": lambda params: transcribed(
            client.audio.transcriptions.create(file=wav(), **params), params
        ),
        "audio.translations.create": lambda params: transcribed(
            client.audio.translations.create(file=wav(), **params), params
        ),
    }
    return methods, BadRequestError


def with_litellm():
    import litellm

    litellm.suppress_debug_info = True

    def ranked(prefix, path, params):
        # Without the field LiteLLM asks for the documents.
        asked = {"return_documents": False, **params, "model": prefix + params["model"]}
        results = litellm.rerank(api_base=url + path, api_key=key, num_retries=0, **asked).results
        return {
            "results": [
                {
                    "index": each["index"],
                    "score": each["relevance_score"],
                    **({"text": each["document"]["text"]} if each.get("document") else {}),
                }
                for each in results
            ]
        }

    methods = {
        "rerank": lambda params: ranked("jina_ai/", "/v1/rerank", params),
        "rerank at /v2": lambda params: ranked("cohere/", "/v2/rerank", params),
    }
    return methods, litellm.BadRequestError


methods, Refused = {"openai": with_openai, "litellm": with_litellm}[sdk]()


def shown(call):
    try:
        return {"result": methods[call["method"]](call["params"])}
    except Refused as error:
        return {"refused": str(error)}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    print(json.dumps([shown(call) for call in json.loads(line)]), flush=True)
