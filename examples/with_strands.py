"""The installed policies in force on an agent of Strands, offline."""

import json

from strands import Agent, tool
from strands.models.model import Model

from hookcore import HookManager
from hookcore_strands import install

deny = {"enabled": True, "settings": {"deny": ["delete_*"]}}
config = {"plugins": {"tool-policy": deny, "redact": {"enabled": True}}}
install(HookManager.load(config=config))  # install() takes the process's manager


@tool
def delete_file(path: str) -> str:
    """Delete a file."""
    raise AssertionError("nobody gets here")


class Scripted(Model):  # yours is a real one
    def __init__(self):
        self.sent = []

    def get_config(self):
        return {"model_id": "scripted"}

    def update_config(self, **config):
        pass

    def structured_output(self, output_model, prompt, system_prompt=None, **options):
        raise TypeError("a scripted model answers with texts and tool calls")

    async def stream(self, messages, tool_specs=None, system_prompt=None, **options):
        self.sent.append(json.dumps(messages))
        if len(self.sent) == 1:
            start = {"toolUse": {"name": "delete_file", "toolUseId": "c1"}}
            delta, reason = {"toolUse": {"input": '{"path": "notes.txt"}'}}, "tool_use"
        else:
            start, delta, reason = {}, {"text": "done"}, "end_turn"
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": start}}
        yield {"contentBlockDelta": {"delta": delta}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": reason}}


model = Scripted()
agent = Agent(model=model, tools=[delete_file], callback_handler=None)
assert str(agent("My key is AKIAIOSFODNN7EXAMPLE. Delete my notes.")).strip() == "done"
assert "AKIA" not in "".join(model.sent)
assert "denied by tool-policy" in model.sent[1]
