"""Runs one feature of one Python SDK against a gateway: python_sdks.py SDK FEATURE URL KEY MODEL. Prints what was said."""

import base64
import sys

sdk, feature, url, key, model = sys.argv[1:6]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
PROMPTS = {
    "talk": "<<READ>> Read notes.txt and tell me the word.",
    "tool": "<<READ>> Read notes.txt and tell me the word.",
    "slow": "<<SLOW>> Tell me everything.",
    "image": "<<LOOK>> What is on the picture?",
}
AGAIN = "<<AGAIN>> Say the word once more."
RESULT = "The word is SECRET-4f1c9a"
SCHEMA = {"type": "object", "properties": {"file_path": {"type": "string"}}, "required": ["file_path"]}
FUNCTION = {"name": "read_file", "description": "Reads a file", "parameters": SCHEMA}


def chat():
    from openai import OpenAI

    client = OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
    tools = [{"type": "function", "function": FUNCTION}]
    if feature == "image":
        picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
        messages = [{"role": "user", "content": [{"type": "text", "text": PROMPTS["image"]}, picture]}]
        return client.chat.completions.create(model=model, messages=messages, tools=tools).choices[0].message.content
    messages = [{"role": "user", "content": PROMPTS[feature]}]
    if feature == "slow":
        for _ in client.chat.completions.create(model=model, messages=messages, tools=tools, stream=True):
            return "left"
    answer = client.chat.completions.create(model=model, messages=messages, tools=tools).choices[0].message
    messages.append(answer.model_dump(exclude_none=True))
    if feature == "talk":
        messages.append({"role": "user", "content": AGAIN})
        return client.chat.completions.create(model=model, messages=messages, tools=tools).choices[0].message.content
    messages.append({"role": "tool", "tool_call_id": answer.tool_calls[0].id, "content": RESULT})
    said = client.chat.completions.create(model=model, messages=messages, tools=tools).choices[0].message
    messages += [said.model_dump(exclude_none=True), {"role": "user", "content": AGAIN}]
    again = client.chat.completions.create(model=model, messages=messages, tools=tools).choices[0].message.content
    return f"{said.content} {again}"


def responses():
    from openai import OpenAI

    client = OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
    tools = [{"type": "function", "strict": False, **FUNCTION}]
    if feature == "image":
        picture = {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"}
        content = [{"type": "input_text", "text": PROMPTS["image"]}, picture]
        return client.responses.create(model=model, input=[{"role": "user", "content": content}], tools=tools).output_text
    if feature == "slow":
        prompt = [{"role": "user", "content": PROMPTS["slow"]}]
        for event in client.responses.create(model=model, input=prompt, tools=tools, stream=True):
            if event.type.endswith("delta"):
                return "left"
    prompt = [{"role": "user", "content": PROMPTS["tool"]}]
    first = client.responses.create(model=model, input=prompt, tools=tools, store=False)
    if feature == "talk":
        history = prompt + [item.model_dump(exclude_none=True) for item in first.output]
        history.append({"role": "user", "content": AGAIN})
        return client.responses.create(model=model, input=history, tools=tools, store=False).output_text
    call = next(item for item in first.output if item.type == "function_call")
    history = prompt + [item.model_dump(exclude_none=True) for item in first.output]
    history.append({"type": "function_call_output", "call_id": call.call_id, "output": RESULT})
    second = client.responses.create(model=model, input=history, tools=tools, store=False)
    history += [item.model_dump(exclude_none=True) for item in second.output] + [{"role": "user", "content": AGAIN}]
    third = client.responses.create(model=model, input=history, tools=tools, store=False)
    return f"{second.output_text} {third.output_text}"


def anthropic():
    from anthropic import Anthropic

    client = Anthropic(base_url=url, auth_token=key, max_retries=0)
    tools = [{"name": "read_file", "description": "Reads a file", "input_schema": SCHEMA}]
    ask = lambda messages, **more: client.messages.create(
        model=model, max_tokens=500, messages=messages, tools=tools, **more
    )
    text = lambda answer: "".join(block.text for block in answer.content if block.type == "text")
    if feature == "image":
        source = {"type": "base64", "media_type": "image/png", "data": PNG}
        content = [{"type": "image", "source": source}, {"type": "text", "text": PROMPTS["image"]}]
        return text(ask([{"role": "user", "content": content}]))
    messages = [{"role": "user", "content": PROMPTS[feature]}]
    if feature == "slow":
        for event in ask(messages, stream=True):
            if event.type == "content_block_delta":
                return "left"
    first = ask(messages)
    if feature == "talk":
        messages += [{"role": "assistant", "content": text(first)}, {"role": "user", "content": AGAIN}]
        return text(ask(messages))
    call = next(block for block in first.content if block.type == "tool_use")
    result = {"type": "tool_result", "tool_use_id": call.id, "content": RESULT}
    messages += [
        {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in first.content]},
        {"role": "user", "content": [result]},
    ]
    second = ask(messages)
    messages += [{"role": "assistant", "content": text(second)}, {"role": "user", "content": AGAIN}]
    return f"{text(second)} {text(ask(messages))}"


def google():
    from google import genai
    from google.genai import types

    client = genai.Client(api_key=key, http_options=types.HttpOptions(base_url=url))
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[{"name": "read_file", "parameters_json_schema": SCHEMA}])]
    )
    if feature == "image":
        picture = types.Part.from_bytes(data=base64.b64decode(PNG), mime_type="image/png")
        return client.models.generate_content(model=model, contents=[PROMPTS["image"], picture], config=config).text
    if feature == "slow":
        for _ in client.models.generate_content_stream(model=model, contents=PROMPTS["slow"], config=config):
            return "left"
    session = client.chats.create(model=model, config=config)
    if feature == "talk":
        session.send_message(PROMPTS["talk"])
        return session.send_message(AGAIN).text
    call = session.send_message(PROMPTS["tool"]).function_calls[0]
    result = types.Part.from_function_response(name=call.name, response={"result": RESULT})
    if call.id:
        result.function_response.id = call.id
    return f"{session.send_message(result).text} {session.send_message(AGAIN).text}"


def langchain():
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_openai import ChatOpenAI

    llm = ChatOpenAI(base_url=f"{url}/v1", api_key=key, model=model, max_retries=0)
    bound = llm.bind_tools([{"type": "function", "function": FUNCTION}])
    if feature == "image":
        picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
        return bound.invoke([HumanMessage([{"type": "text", "text": PROMPTS["image"]}, picture])]).content
    messages = [HumanMessage(PROMPTS[feature])]
    if feature == "slow":
        for _ in bound.stream(messages):
            return "left"
    messages.append(bound.invoke(messages))
    if feature == "talk":
        return bound.invoke([*messages, HumanMessage(AGAIN)]).content
    messages.append(ToolMessage(RESULT, tool_call_id=messages[-1].tool_calls[0]["id"]))
    said = bound.invoke(messages)
    return f"{said.content} {bound.invoke([*messages, said, HumanMessage(AGAIN)]).content}"


print({"chat": chat, "responses": responses, "anthropic": anthropic, "google": google, "langchain": langchain}[sdk]())
