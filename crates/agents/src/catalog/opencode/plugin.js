// Tells epitome what happens. `epitome init` wrote this file, and `epitome disconnect` takes it away.
import { spawn } from "node:child_process"

const program = "PROGRAM"

// Nobody waits for it, and what fails is found by `epitome doctor`.
function tell(event, body) {
  const hook = spawn(program, ["hook", event, "--agent", "opencode"], { stdio: ["pipe", "ignore", "ignore"] })
  hook.on("error", () => {})
  hook.stdin.on("error", () => {})
  hook.stdin.end(JSON.stringify(body))
}

export const Epitome = async ({ directory }) => {
  const said = (session, more) => ({ session_id: session, cwd: directory, ...more })
  return {
    "chat.message": async (input, output) => {
      const words = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      tell("UserPromptSubmit", said(input.sessionID, { prompt: words.join("\n"), prompt_id: output.message?.id }))
    },
    "tool.execute.after": async (input, output) => {
      const call = { tool_name: input.tool, tool_use_id: input.callID, tool_input: input.args }
      tell("PostToolUse", said(input.sessionID, { ...call, tool_response: output.output }))
    },
    event: async ({ event }) => {
      const names = { "session.created": "SessionStart", "session.idle": "Stop", "session.deleted": "SessionEnd" }
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (names[event.type] && session) tell(names[event.type], said(session, {}))
    },
  }
}
