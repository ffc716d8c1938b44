
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'ccmcp' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'ccmcp'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'ccmcp' {
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve MCP over standard input and output')
            [CompletionResult]::new('start', 'start', [CompletionResultType]::ParameterValue, 'Start a new session and print Claude''s reply')
            [CompletionResult]::new('send', 'send', [CompletionResultType]::ParameterValue, 'Continue a session and print Claude''s reply')
            [CompletionResult]::new('sessions', 'sessions', [CompletionResultType]::ParameterValue, 'List past sessions, newest first')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Search past conversations, newest first')
            [CompletionResult]::new('tree', 'tree', [CompletionResultType]::ParameterValue, 'Draw a session as the tree it is, or read one of its branches')
            [CompletionResult]::new('agents', 'agents', [CompletionResultType]::ParameterValue, 'Look at background agents and steer them')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Add ccmcp to an MCP client: print its entry, or write it there')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Check that everything works, and say what to do where it does not')
            break
        }
        'ccmcp;serve' {
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'Offer these sets of tools [default: all]')
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--allow-inside-claude-code', '--allow-inside-claude-code', [CompletionResultType]::ParameterName, 'Offer tools that drive Claude although Claude Code started this server')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;start' {
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Use this model: opus, sonnet, haiku, fable, or an exact id')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Use this model: opus, sonnet, haiku, fable, or an exact id')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--timeout-idle-ms', '--timeout-idle-ms', [CompletionResultType]::ParameterName, 'End the turn after this many milliseconds without any output of Claude')
            [CompletionResult]::new('--timeout-wall-ms', '--timeout-wall-ms', [CompletionResultType]::ParameterName, 'End the turn after this many milliseconds')
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the result as one JSON object')
            [CompletionResult]::new('--stream-json', '--stream-json', [CompletionResultType]::ParameterName, 'Print Claude''s own frames as they come, one JSON object a line')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;send' {
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Use this model: opus, sonnet, haiku, fable, or an exact id')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Use this model: opus, sonnet, haiku, fable, or an exact id')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Run in this directory')
            [CompletionResult]::new('--timeout-idle-ms', '--timeout-idle-ms', [CompletionResultType]::ParameterName, 'End the turn after this many milliseconds without any output of Claude')
            [CompletionResult]::new('--timeout-wall-ms', '--timeout-wall-ms', [CompletionResultType]::ParameterName, 'End the turn after this many milliseconds')
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the result as one JSON object')
            [CompletionResult]::new('--stream-json', '--stream-json', [CompletionResultType]::ParameterName, 'Print Claude''s own frames as they come, one JSON object a line')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;sessions' {
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'List at most this many [default: 20, with --projects 50]')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'List at most this many [default: 20, with --projects 50]')
            [CompletionResult]::new('--offset', '--offset', [CompletionResultType]::ParameterName, 'Pass over this many')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only sessions active since then: a date, a time, or an age such as 7d')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Only sessions begun until then')
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--projects', '--projects', [CompletionResultType]::ParameterName, 'List the directories instead')
            [CompletionResult]::new('--include-empty', '--include-empty', [CompletionResultType]::ParameterName, 'Also sessions without any message')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print what the MCP tool answers, as JSON')
            [CompletionResult]::new('--absolute', '--absolute', [CompletionResultType]::ParameterName, 'Show dates as such, not how long ago')
            [CompletionResult]::new('--utc', '--utc', [CompletionResultType]::ParameterName, 'Show dates as such, in UTC')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;search' {
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Find it as text, words or regex')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'Find it as text, words or regex')
            [CompletionResult]::new('--in', '--in', [CompletionResultType]::ParameterName, 'In messages (the default), tools, thinking or all')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Only this directory: `.`, a path or part of one')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Only this directory: `.`, a path or part of one')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'Only this session: an id, its beginning, or `last`')
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'Only what user, assistant, tool or system wrote')
            [CompletionResult]::new('--branch', '--branch', [CompletionResultType]::ParameterName, 'Only the primary branch, or abandoned ones')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only since then: a date, a time, or an age such as 7d')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Only until then')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most this many hits [1 to 50]')
            [CompletionResult]::new('--max-results', '--max-results', [CompletionResultType]::ParameterName, 'Show at most this many hits [1 to 50]')
            [CompletionResult]::new('--offset', '--offset', [CompletionResultType]::ParameterName, 'Pass over this many hits')
            [CompletionResult]::new('--cursor', '--cursor', [CompletionResultType]::ParameterName, 'Go on where a search ran out of time')
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Tell upper and lower case apart')
            [CompletionResult]::new('--case-sensitive', '--case-sensitive', [CompletionResultType]::ParameterName, 'Tell upper and lower case apart')
            [CompletionResult]::new('--include-subagents', '--include-subagents', [CompletionResultType]::ParameterName, 'Also search sub-agents'' conversations')
            [CompletionResult]::new('--include-current', '--include-current', [CompletionResultType]::ParameterName, 'Also search the session that runs this command')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print what the MCP tool answers, as JSON')
            [CompletionResult]::new('--absolute', '--absolute', [CompletionResultType]::ParameterName, 'Show dates as such, not how long ago')
            [CompletionResult]::new('--utc', '--utc', [CompletionResultType]::ParameterName, 'Show dates as such, in UTC')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;tree' {
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Its directory, if the id was used in several')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Its directory, if the id was used in several')
            [CompletionResult]::new('--thread', '--thread', [CompletionResultType]::ParameterName, 'Show the messages up to LEAF, the beginning of an id')
            [CompletionResult]::new('--forks', '--forks', [CompletionResultType]::ParameterName, 'List the forks, or only the one at FORK')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Print the whole thread, uncut')
            [CompletionResult]::new('--offset', '--offset', [CompletionResultType]::ParameterName, 'With a thread: pass over this many messages')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'With a thread: so many messages [default: 50]')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'With a thread: so many messages [default: 50]')
            [CompletionResult]::new('--max-chars', '--max-chars', [CompletionResultType]::ParameterName, 'With a thread: characters of a text [default: 1000]')
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Show every prompt, not only the ends of long runs')
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'With a thread: show tool calls with their results')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print what the MCP tool answers, as JSON')
            [CompletionResult]::new('--absolute', '--absolute', [CompletionResultType]::ParameterName, 'Show dates as such, not how long ago')
            [CompletionResult]::new('--utc', '--utc', [CompletionResultType]::ParameterName, 'Show dates as such, in UTC')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;agents' {
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List agents, the last changed first')
            [CompletionResult]::new('read', 'read', [CompletionResultType]::ParameterValue, 'Show an agent: its turns and its latest result')
            [CompletionResult]::new('wait', 'wait', [CompletionResultType]::ParameterValue, 'Wait for agents')
            [CompletionResult]::new('interrupt', 'interrupt', [CompletionResultType]::ParameterValue, 'Stop an agent''s turn, and drop the mail that waits')
            [CompletionResult]::new('close', 'close', [CompletionResultType]::ParameterValue, 'Close an agent that is idle or needs attention')
            [CompletionResult]::new('prune', 'prune', [CompletionResultType]::ParameterValue, 'Remove agents that have been idle or closed for long')
            break
        }
        'ccmcp;agents;list' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Only agents in this state')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'List at most this many')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'List at most this many')
            [CompletionResult]::new('--offset', '--offset', [CompletionResultType]::ParameterName, 'Leave out this many of the first')
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Show the list again whenever it changes, until Ctrl-C')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Show the list again whenever it changes, until Ctrl-C')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object, as the tool `list_agents` answers')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;agents;read' {
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--events', '--events', [CompletionResultType]::ParameterName, 'Show its events too')
            [CompletionResult]::new('--raw', '--raw', [CompletionResultType]::ParameterName, 'Print what Claude printed, one JSON object a line; long texts are cut')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Show what happens until the turn ends, or Ctrl-C')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Show what happens until the turn ends, or Ctrl-C')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object, as the tool `read_agent` answers; with --follow one event a line')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;agents;wait' {
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Wait for this')
            [CompletionResult]::new('--timeout-ms', '--timeout-ms', [CompletionResultType]::ParameterName, 'Wait at most this many milliseconds [default: for ever]')
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object, as the tool `wait_agent` answers')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;agents;interrupt' {
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object, as the tool `interrupt_agent` answers')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;agents;close' {
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--delete', '--delete', [CompletionResultType]::ParameterName, 'Remove its record too')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object, as the tool `close_agent` answers')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;agents;prune' {
            [CompletionResult]::new('--older-than', '--older-than', [CompletionResultType]::ParameterName, 'Agents that nothing has happened to for this long, such as 12h, 30d or 2w')
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Remove them')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Remove them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;config' {
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'Offer these sets of tools [default: all; for claude-code: history]')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Use this file, such as a project''s .mcp.json [default: yours for this client]')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Give the entry this name')
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Merge the entry into the client''s file, after a backup')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print what was done as one JSON object')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'ccmcp;doctor' {
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Use this model for the real turn')
            [CompletionResult]::new('--claude-bin', '--claude-bin', [CompletionResultType]::ParameterName, 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]')
            [CompletionResult]::new('--state-dir', '--state-dir', [CompletionResultType]::ParameterName, 'Keep the agents'' database here [default: ~/.local/state/ccmcp, or the system''s own place]')
            [CompletionResult]::new('--accept-model', '--accept-model', [CompletionResultType]::ParameterName, 'Accept this model id too (repeatable)')
            [CompletionResult]::new('--process-limit', '--process-limit', [CompletionResultType]::ParameterName, 'Run at most this many agent processes, over all servers of one state directory')
            [CompletionResult]::new('--idle-timeout', '--idle-timeout', [CompletionResultType]::ParameterName, 'End an agent''s process after this many seconds without a turn')
            [CompletionResult]::new('--stall-timeout-ms', '--stall-timeout-ms', [CompletionResultType]::ParameterName, 'Report an agent''s turn as stalled after this many milliseconds of silence')
            [CompletionResult]::new('--log-file', '--log-file', [CompletionResultType]::ParameterName, 'Write diagnostics to this file instead of standard error')
            [CompletionResult]::new('--log-level', '--log-level', [CompletionResultType]::ParameterName, 'Write diagnostics from this level up: error, warn, info, debug or trace')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the checks as one JSON object')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Also run one real turn, after asking')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Don''t ask before the real turn')
            [CompletionResult]::new('--require-subscription', '--require-subscription', [CompletionResultType]::ParameterName, 'Refuse to run on an API key, which is billed by the token')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
