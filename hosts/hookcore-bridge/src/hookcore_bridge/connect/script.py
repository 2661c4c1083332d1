"""The plugin for opencode, whose hooks are JavaScript in its own process."""

from __future__ import annotations

import json
import re

from .calling import hook_words
from .client import Scope

__all__ = ["is_ours", "text"]

_MARK = "// Written by hookctl connect; hookctl disconnect removes it."
_COMMAND = re.compile(r"^const COMMAND = (\[.*\]);$", re.MULTILINE)
_TEMPLATE = """\
%(mark)s
import { spawn } from "node:child_process";

const COMMAND = %(command)s;
const MILLISECONDS = 10000;

// Asks the policies. Whatever goes wrong is a denial.
function ask(event, facts) {
  return new Promise((resolve, reject) => {
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), event], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    const out = [];
    const err = [];
    const refuse = (why) => reject(new Error(why));
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      refuse("the policies did not answer in time");
    }, MILLISECONDS);
    child.stdout.on("data", (data) => out.push(data));
    child.stderr.on("data", (data) => err.push(data));
    child.stdin.on("error", () => {});
    child.on("error", (error) => {
      clearTimeout(timer);
      refuse(`the policies cannot be asked: ${error.message}`);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code !== 0) {
        refuse(Buffer.concat(err).toString().trim() || `the policies ended with code ${code}`);
        return;
      }
      try {
        const answer = JSON.parse(Buffer.concat(out).toString());
        if (answer === null || typeof answer !== "object" || Array.isArray(answer)) throw 0;
        resolve(answer);
      } catch {
        refuse("the answer of the policies cannot be read");
      }
    });
    child.stdin.end(JSON.stringify({ event, ...facts }));
  });
}

// The result of a tool is a text, that of an MCP tool a list of parts.
function textOf(output) {
  const parts = output.content;
  if (!Array.isArray(parts)) return output.output;
  const plain = parts.every((part) => part.type === "text");
  return plain ? parts.map((part) => part.text).join("\\n") : JSON.stringify(parts);
}

function replace(output, text) {
  if (!Array.isArray(output.content)) {
    output.output = text;
    return;
  }
  output.content = [{ type: "text", text }];
  delete output.structuredContent;
}

export const Hookcore = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const answer = await ask("tool.execute.before", {
      session: input.sessionID,
      call: input.callID,
      cwd: directory,
      tool: input.tool,
      input: output.args,
    });
    if (answer.deny !== undefined) throw new Error(answer.deny);
    if (answer.input !== undefined) {
      for (const key of Object.keys(output.args)) delete output.args[key];
      Object.assign(output.args, answer.input);
    }
  },
  "tool.execute.after": async (input, output) => {
    const answer = await ask("tool.execute.after", {
      session: input.sessionID,
      call: input.callID,
      cwd: directory,
      tool: input.tool,
      input: input.args,
      output: textOf(output),
    });
    if (answer.deny !== undefined) throw new Error(answer.deny);
    if (answer.output !== undefined) replace(output, answer.output);
  },
});
"""


def text(scope: Scope) -> str:
    """Return the plugin for this installation.

    Args:
        scope: whose plugin it is.
    """
    command = json.dumps(hook_words("opencode", scope))
    return _TEMPLATE % {"mark": _MARK, "command": command}


def is_ours(script: str) -> bool:
    """Tell whether a file is the plugin, of this installation or of another."""
    return script.startswith(_MARK)


def command_in(script: str) -> list[str]:
    """Return the words of the command that the plugin runs; none when it cannot be read."""
    match = _COMMAND.search(script)
    try:
        words = json.loads(match[1]) if match else []
    except ValueError:
        return []
    return [word for word in words if isinstance(word, str)]
