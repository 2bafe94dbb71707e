"""An agent that records a workflow through Stepwell, with the official MCP client.

  record.py begin  URL DIR       until a call that does not come back; prints the recording's id
  record.py go_on  URL DIR ID    after the server was killed: goes on, saves, runs the workflow
  record.py stdio  COMMAND...    lists the tools of a server that speaks over standard input and output

Every line that it prints is a JSON object.
"""

import asyncio
import json
import sys

from mcp import StdioServerParameters
from mcp.client.client import Client


def say(**what):
    print(json.dumps(what), flush=True)


def result_of(tool, answer):
    text = "\n".join(block.text for block in answer.content if block.type == "text")
    step = (answer.meta or {}).get("stepwell/step")
    say(tool=tool, step=step, failed=bool(answer.is_error), text=text)
    return answer


async def call(client, tool, **arguments):
    return result_of(tool, await client.call_tool(tool, arguments, read_timeout_seconds=120))


async def begin(url, folder):
    async with Client(f"{url}/mcp") as stepwell:
        started = await stepwell.call_tool("RECORDING_START", {"title": "Read and say"})
        recording = started.structured_content["recording_id"]
        say(recording=recording, url=started.structured_content["url"])
    async with Client(f"{url}/mcp/recordings/{recording}") as agent:
        tools = {tool.name: tool for tool in (await agent.list_tools()).tools}
        say(widened=tools["get-sum"].input_schema["properties"]["a"])
        await call(agent, "RECORDING_NAME_INPUT", name="file", value=f"{folder}/a.txt")
        await call(agent, "read_text_file", path="@input.file")
        await call(agent, "echo", message="alpha")
        await call(agent, "read_text_file", path="/etc/hostname")
        # Two at once: one that may be repeated, and one that may not and never comes back.
        edits = [{"oldText": "a", "newText": "b"}]
        slow = call(agent, "trigger-long-running-operation", duration=3, steps=3)
        stuck = call(agent, "edit_file", path=f"{folder}/slow", edits=edits)
        await asyncio.gather(slow, stuck)


async def go_on(url, folder, recording):
    async with Client(f"{url}/mcp/recordings/{recording}") as agent:
        while True:
            seen = (await agent.call_tool("RECORDING_STEPS", {})).structured_content
            if all(step["status"] != "running" for step in seen["steps"]):
                break
            await asyncio.sleep(0.05)
        say(steps=[[step["name"], step["status"], step["error"]] for step in seen["steps"]])
        proposed = (await agent.call_tool("RECORDING_PROPOSE_REFS", {})).structured_content["proposals"]
        say(proposals=proposed)
        for one in proposed:
            placed = {"step": one["step"], "pointer": one["pointer"], "ref": one["refs"][0]}
            await call(agent, "RECORDING_PLACE_REF", **placed)
        await call(agent, "echo", message="and again: @read_text_file_1.content")
        await call(agent, "RECORDING_DROP_STEP", step="trigger_long_running_operation_1")
        saved = await agent.call_tool("RECORDING_SAVE", {"workflow": "read and say"})
        say(saved=saved.structured_content)
        await call(agent, "RECORDING_FINISH")
    async with Client(f"{url}/mcp") as stepwell:
        told = []

        async def progress(done, total, message):
            told.append([done, total, message])

        ended = await stepwell.call_tool(
            "START_WORKFLOW_READ_AND_SAY", {"file": f"{folder}/b.txt"}, progress_callback=progress
        )
        say(ended=ended.structured_content, progress=told)


async def stdio(command, *args):
    async with Client(StdioServerParameters(command=command, args=list(args))) as client:
        say(tools=[tool.name for tool in (await client.list_tools()).tools])
        listed = await client.call_tool("COLLECTION_WORKFLOW_LIST", {})
        say(workflows=[item["id"] for item in listed.structured_content["items"]])


asyncio.run(globals()[sys.argv[1]](*sys.argv[2:]))
