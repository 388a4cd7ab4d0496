"""
Runs features of one Python SDK against a gateway: python_sdks.py SDK MODULE…. Each line of the input asks for one, in JSON:
{"feature", "url", "key", "model", "home", "project"}. A line of the output has what was said, in JSON too. Imports take most of the
time of a program in Python, so the modules are imported once, and each feature runs in a process that is forked from there.
"""

import asyncio
import base64
import importlib
import json
import os
import sys
import traceback

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


IMAGE_URL = f"data:image/png;base64,{PNG}"


def read_file(file_path: str, absolute_path: str = "") -> str:
    """Reads a file"""
    return RESULT


def litellm(prefix, path):
    import litellm as lite

    lite.suppress_debug_info = True
    tools = [{"type": "function", "function": FUNCTION}]
    ask = lambda messages, **more: lite.completion(
        model=prefix + model, api_base=url + path, api_key=key, messages=messages, tools=tools, num_retries=0, **more
    )
    if feature == "image":
        picture = {"type": "image_url", "image_url": {"url": IMAGE_URL}}
        content = [{"type": "text", "text": PROMPTS["image"]}, picture]
        return ask([{"role": "user", "content": content}]).choices[0].message.content
    messages = [{"role": "user", "content": PROMPTS[feature]}]
    if feature == "slow":
        for chunk in ask(messages, stream=True):
            if chunk.choices[0].delta.content:
                return "left"
    answer = ask(messages).choices[0].message
    messages.append(answer.model_dump(exclude_none=True))
    if feature == "talk":
        return ask([*messages, {"role": "user", "content": AGAIN}]).choices[0].message.content
    messages.append({"role": "tool", "tool_call_id": answer.tool_calls[0].id, "content": RESULT})
    said = ask(messages).choices[0].message
    messages += [said.model_dump(exclude_none=True), {"role": "user", "content": AGAIN}]
    return f"{said.content} {ask(messages).choices[0].message.content}"


def pydantic(chosen):
    from pydantic_ai import Agent, BinaryContent

    agent = Agent(chosen, tools=[read_file])
    if feature == "image":
        return agent.run_sync([PROMPTS["image"], BinaryContent(base64.b64decode(PNG), media_type="image/png")]).output

    async def leave():
        async with agent.run_stream(PROMPTS["slow"]) as answer:
            async for _ in answer.stream_text(delta=True):
                os._exit(print("left", flush=True) or 0)

    if feature == "slow":
        return asyncio.run(leave())
    first = agent.run_sync(PROMPTS[feature])
    return f"{first.output} {agent.run_sync(AGAIN, message_history=first.all_messages()).output}"


def pydantic_openai(kind):
    from pydantic_ai.models import openai
    from pydantic_ai.providers.openai import OpenAIProvider

    return pydantic(getattr(openai, kind)(model, provider=OpenAIProvider(base_url=f"{url}/v1", api_key=key)))


def pydantic_anthropic():
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return pydantic(AnthropicModel(model, provider=AnthropicProvider(base_url=url, api_key=key)))


def pydantic_google():
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return pydantic(GoogleModel(model, provider=GoogleProvider(base_url=url, api_key=key)))


def openai_agents(kind):
    import agents
    from openai import AsyncOpenAI

    agents.set_tracing_disabled(True)
    chosen = getattr(agents, kind)(model, AsyncOpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0))
    agent = agents.Agent(name="a", model=chosen, tools=[agents.function_tool(read_file, strict_mode=False)])
    if feature == "image":
        content = [
            {"type": "input_text", "text": PROMPTS["image"]},
            {"type": "input_image", "image_url": IMAGE_URL, "detail": "auto"},
        ]
        return agents.Runner.run_sync(agent, [{"role": "user", "content": content}]).final_output

    async def leave():
        async for event in agents.Runner.run_streamed(agent, PROMPTS["slow"]).stream_events():
            if event.type == "raw_response_event" and event.data.type.endswith("text.delta"):
                os._exit(print("left", flush=True) or 0)

    if feature == "slow":
        return asyncio.run(leave())
    first = agents.Runner.run_sync(agent, PROMPTS[feature])
    history = [*first.to_input_list(), {"role": "user", "content": AGAIN}]
    return f"{first.final_output} {agents.Runner.run_sync(agent, history).final_output}"


def claude_agent():
    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage, StreamEvent

    async def ask(prompt, **more):
        options = ClaudeAgentOptions(
            model=model,
            allowed_tools=["Read"],
            include_partial_messages=feature == "slow",
            env={
                "ANTHROPIC_BASE_URL": url,
                "ANTHROPIC_AUTH_TOKEN": key,
                "ANTHROPIC_SMALL_FAST_MODEL": model,
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            },
            **more,
        )
        said = None
        async with ClaudeSDKClient(options) as client:
            await client.query(prompt)
            async for message in client.receive_response():
                if isinstance(message, StreamEvent) and message.event["type"] == "content_block_delta" and not said:
                    said = "left"
                    await client.interrupt()
                if isinstance(message, ResultMessage):
                    said = said or message.result
        return said

    first = asyncio.run(ask(PROMPTS[feature]))
    if feature in ("slow", "image"):
        return first
    return f"{first} {asyncio.run(ask(AGAIN, continue_conversation=True))}"


def crewai(provider, path):
    from crewai import LLM, Agent
    from crewai.tools import tool

    llm = LLM(model=model, provider=provider, base_url=url + path, api_key=key)
    agent = Agent(role="reader", goal="read", backstory="reads", llm=llm, tools=[tool("read_file")(read_file)])
    first = agent.kickoff(PROMPTS[feature]).raw
    history = [
        {"role": "user", "content": PROMPTS[feature]},
        {"role": "assistant", "content": first},
        {"role": "user", "content": AGAIN},
    ]
    return f"{first} {agent.kickoff(history).raw}"


def bedrock():
    import boto3
    from botocore import UNSIGNED
    from botocore.config import Config

    # The SDK sends keys of Bedrock (AWS_BEARER_TOKEN_BEDROCK) over HTTPS only.
    config = Config(retries={"total_max_attempts": 1}, signature_version=UNSIGNED)
    client = boto3.client("bedrock-runtime", endpoint_url=url, region_name="us-east-1", config=config)
    with_key = lambda request, **_: request.headers.add_header("Authorization", f"Bearer {key}")
    client.meta.events.register("request-created.bedrock-runtime", with_key)
    return client


def converse():
    client = bedrock()
    tool = {"name": "read_file", "description": "Reads a file", "inputSchema": {"json": SCHEMA}}
    turn = lambda role, *content: {"role": role, "content": list(content)}
    asked = lambda messages: {"modelId": model, "messages": messages, "toolConfig": {"tools": [{"toolSpec": tool}]}}
    ask = lambda messages: client.converse(**asked(messages))["output"]["message"]
    text = lambda message: "".join(block.get("text", "") for block in message["content"])
    if feature == "image":
        picture = {"image": {"format": "png", "source": {"bytes": base64.b64decode(PNG)}}}
        return text(ask([turn("user", {"text": PROMPTS["image"]}, picture)]))
    messages = [turn("user", {"text": PROMPTS[feature]})]
    if feature == "slow":
        for event in client.converse_stream(**asked(messages))["stream"]:
            if "contentBlockDelta" in event:
                return "left"
    messages.append(ask(messages))
    if feature == "talk":
        return text(ask([*messages, turn("user", {"text": AGAIN})]))
    call = next(block["toolUse"] for block in messages[-1]["content"] if "toolUse" in block)
    messages.append(turn("user", {"toolResult": {"toolUseId": call["toolUseId"], "content": [{"text": RESULT}]}}))
    said = ask(messages)
    return f"{text(said)} {text(ask([*messages, said, turn('user', {'text': AGAIN})]))}"


def invoke_model():
    client = bedrock()
    tools = [{"name": "read_file", "description": "Reads a file", "input_schema": SCHEMA}]

    def asked(messages):
        body = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 500, "messages": messages, "tools": tools}
        return {"modelId": model, "body": json.dumps(body)}

    ask = lambda messages: json.loads(client.invoke_model(**asked(messages))["body"].read())["content"]
    text = lambda content: "".join(block.get("text", "") for block in content)
    user = lambda *content: {"role": "user", "content": list(content)}
    again = user({"type": "text", "text": AGAIN})
    if feature == "image":
        source = {"type": "base64", "media_type": "image/png", "data": PNG}
        return text(ask([user({"type": "text", "text": PROMPTS["image"]}, {"type": "image", "source": source})]))
    messages = [user({"type": "text", "text": PROMPTS[feature]})]
    if feature == "slow":
        for event in client.invoke_model_with_response_stream(**asked(messages))["body"]:
            if b"content_block_delta" in event["chunk"]["bytes"]:
                return "left"
    first = ask(messages)
    messages.append({"role": "assistant", "content": first})
    if feature == "talk":
        return text(ask([*messages, again]))
    call = next(block for block in first if block["type"] == "tool_use")
    messages.append(user({"type": "tool_result", "tool_use_id": call["id"], "content": RESULT}))
    said = ask(messages)
    return f"{text(said)} {text(ask([*messages, {'role': 'assistant', 'content': said}, again]))}"


SDKS = {
    "chat": chat,
    "responses": responses,
    "anthropic": anthropic,
    "google": google,
    "langchain": langchain,
    "litellm_openai": lambda: litellm("openai/", "/v1"),
    "litellm_anthropic": lambda: litellm("anthropic/", ""),
    "litellm_gemini": lambda: litellm("gemini/", "/v1beta"),
    "litellm_openrouter": lambda: litellm("openrouter/", "/v1"),
    "pydantic_chat": lambda: pydantic_openai("OpenAIChatModel"),
    "pydantic_responses": lambda: pydantic_openai("OpenAIResponsesModel"),
    "pydantic_anthropic": pydantic_anthropic,
    "pydantic_google": pydantic_google,
    "agents_chat": lambda: openai_agents("OpenAIChatCompletionsModel"),
    "agents_responses": lambda: openai_agents("OpenAIResponsesModel"),
    "claude_agent": claude_agent,
    "converse": converse,
    "invoke_model": invoke_model,
    "crewai_openai": lambda: crewai("openai", "/v1"),
    "crewai_anthropic": lambda: crewai("anthropic", ""),
}

sdk, *modules = sys.argv[1:]
# Without a network the download of LiteLLM's newest list of models delays each run.
os.environ |= {"LITELLM_LOCAL_MODEL_COST_MAP": "true", "CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}
for module in modules:
    importlib.import_module(module)

for line in sys.stdin:
    asked = json.loads(line)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        feature, url, key, model = (asked[name] for name in ("feature", "url", "key", "model"))
        os.chdir(asked["project"])
        os.environ["HOME"] = asked["home"]
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        os.close(reader)
        try:
            print(SDKS[sdk](), flush=True)
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf8", errors="replace") as output:
        said = output.read()
    os.waitpid(child, 0)
    print(json.dumps(said), flush=True)
