# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_ccmcp_global_optspecs
    string join \n claude-bin= state-dir= accept-model= require-subscription process-limit= idle-timeout= stall-timeout-ms= log-file= log-level= h/help V/version
end

function __fish_ccmcp_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_ccmcp_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_ccmcp_using_subcommand
    set -l cmd (__fish_ccmcp_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c ccmcp -n "__fish_ccmcp_needs_command" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_needs_command" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_needs_command" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_needs_command" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_needs_command" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_needs_command" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_needs_command" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_needs_command" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_needs_command" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_needs_command" -s V -l version -d 'Print version'
complete -c ccmcp -n "__fish_ccmcp_needs_command" -f -a "serve" -d 'Serve MCP over standard input and output'
complete -c ccmcp -n "__fish_ccmcp_needs_command" -f -a "start" -d 'Start a new session and print Claude\'s reply'
complete -c ccmcp -n "__fish_ccmcp_needs_command" -f -a "send" -d 'Continue a session and print Claude\'s reply'
complete -c ccmcp -n "__fish_ccmcp_needs_command" -f -a "sessions" -d 'List past sessions, newest first'
complete -c ccmcp -n "__fish_ccmcp_needs_command" -f -a "search" -d 'Search past conversations, newest first'
complete -c ccmcp -n "__fish_ccmcp_needs_command" -f -a "tree" -d 'Draw a session as the tree it is, or read one of its branches'
complete -c ccmcp -n "__fish_ccmcp_needs_command" -f -a "agents" -d 'Look at background agents and steer them'
complete -c ccmcp -n "__fish_ccmcp_needs_command" -f -a "config" -d 'Add ccmcp to an MCP client: print its entry, or write it there'
complete -c ccmcp -n "__fish_ccmcp_needs_command" -f -a "doctor" -d 'Check that everything works, and say what to do where it does not'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand serve" -l tools -d 'Offer these sets of tools [default: all]' -r -f -a "sessions\t'Start and continue sessions'
agents\t'Durable background agents'
history\t'List, search and read transcripts'"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand serve" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand serve" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand serve" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand serve" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand serve" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand serve" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand serve" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand serve" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand serve" -l allow-inside-claude-code -d 'Offer tools that drive Claude although Claude Code started this server'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand serve" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -s m -l model -d 'Use this model: opus, sonnet, haiku, fable, or an exact id' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -s C -l cwd -d 'Run in this directory' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l timeout-idle-ms -d 'End the turn after this many milliseconds without any output of Claude' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l timeout-wall-ms -d 'End the turn after this many milliseconds' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l json -d 'Print the result as one JSON object'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l stream-json -d 'Print Claude\'s own frames as they come, one JSON object a line'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand start" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -s m -l model -d 'Use this model: opus, sonnet, haiku, fable, or an exact id' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -s C -l cwd -d 'Run in this directory' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l timeout-idle-ms -d 'End the turn after this many milliseconds without any output of Claude' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l timeout-wall-ms -d 'End the turn after this many milliseconds' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l json -d 'Print the result as one JSON object'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l stream-json -d 'Print Claude\'s own frames as they come, one JSON object a line'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand send" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -s n -l limit -d 'List at most this many [default: 20, with --projects 50]' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l offset -d 'Pass over this many' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l since -d 'Only sessions active since then: a date, a time, or an age such as 7d' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l until -d 'Only sessions begun until then' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l projects -d 'List the directories instead'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l include-empty -d 'Also sessions without any message'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l json -d 'Print what the MCP tool answers, as JSON'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l absolute -d 'Show dates as such, not how long ago'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l utc -d 'Show dates as such, in UTC'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand sessions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -s m -l mode -d 'Find it as text, words or regex' -r -f -a "text\t'As it stands'
words\t'All its words, in any order'
regex\t'As a regular expression'"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l in -d 'In messages (the default), tools, thinking or all' -r -f -a "messages\t'What was typed and answered'
tools\t'Tool calls and their results'
thinking\t'The model\'s thinking'
all\t'Everything'"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -s p -l project -d 'Only this directory: `.`, a path or part of one' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l session -d 'Only this session: an id, its beginning, or `last`' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l role -d 'Only what user, assistant, tool or system wrote' -r -f -a "user\t''
assistant\t''
tool\t''
system\t''"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l branch -d 'Only the primary branch, or abandoned ones' -r -f -a "any\t'All'
primary\t'The one that the session goes on with'
abandoned\t'Those that were left'"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l since -d 'Only since then: a date, a time, or an age such as 7d' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l until -d 'Only until then' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -s n -l max-results -d 'Show at most this many hits [1 to 50]' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l offset -d 'Pass over this many hits' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l cursor -d 'Go on where a search ran out of time' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -s s -l case-sensitive -d 'Tell upper and lower case apart'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l include-subagents -d 'Also search sub-agents\' conversations'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l include-current -d 'Also search the session that runs this command'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l json -d 'Print what the MCP tool answers, as JSON'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l absolute -d 'Show dates as such, not how long ago'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l utc -d 'Show dates as such, in UTC'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -s p -l project -d 'Its directory, if the id was used in several' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l thread -d 'Show the messages up to LEAF, the beginning of an id' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l forks -d 'List the forks, or only the one at FORK' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l export -d 'Print the whole thread, uncut' -r -f -a "md\t'Markdown'
json\t'JSON, as the MCP tool answers it'"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l offset -d 'With a thread: pass over this many messages' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -s n -l limit -d 'With a thread: so many messages [default: 50]' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l max-chars -d 'With a thread: characters of a text [default: 1000]' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l all -d 'Show every prompt, not only the ends of long runs'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l tools -d 'With a thread: show tool calls with their results'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l json -d 'Print what the MCP tool answers, as JSON'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l absolute -d 'Show dates as such, not how long ago'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l utc -d 'Show dates as such, in UTC'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand tree" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -f -a "list" -d 'List agents, the last changed first'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -f -a "read" -d 'Show an agent: its turns and its latest result'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -f -a "wait" -d 'Wait for agents'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -f -a "interrupt" -d 'Stop an agent\'s turn, and drop the mail that waits'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -f -a "close" -d 'Close an agent that is idle or needs attention'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and not __fish_seen_subcommand_from list read wait interrupt close prune" -f -a "prune" -d 'Remove agents that have been idle or closed for long'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -l state -d 'Only agents in this state' -r -f -a "queued\t''
running\t''
idle\t''
cancelling\t''
needs_attention\t''
closed\t''"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -s n -l limit -d 'List at most this many' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -l offset -d 'Leave out this many of the first' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -s w -l watch -d 'Show the list again whenever it changes, until Ctrl-C'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON object, as the tool `list_agents` answers'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -l events -d 'Show its events too'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -l raw -d 'Print what Claude printed, one JSON object a line; long texts are cut'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -s f -l follow -d 'Show what happens until the turn ends, or Ctrl-C'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -l json -d 'Print one JSON object, as the tool `read_agent` answers; with --follow one event a line'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -l until -d 'Wait for this' -r -f -a "any\t'The next event'
turn_end\t'The end of a turn'
idle\t'An agent with nothing left to do'"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -l timeout-ms -d 'Wait at most this many milliseconds [default: for ever]' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -l json -d 'Print one JSON object, as the tool `wait_agent` answers'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from wait" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from interrupt" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from interrupt" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from interrupt" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from interrupt" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from interrupt" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from interrupt" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from interrupt" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from interrupt" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from interrupt" -l json -d 'Print one JSON object, as the tool `interrupt_agent` answers'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from interrupt" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from interrupt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from close" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from close" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from close" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from close" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from close" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from close" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from close" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from close" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from close" -l delete -d 'Remove its record too'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from close" -l json -d 'Print one JSON object, as the tool `close_agent` answers'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from close" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from close" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -l older-than -d 'Agents that nothing has happened to for this long, such as 12h, 30d or 2w' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -s y -l yes -d 'Remove them'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -l json -d 'Print one JSON object'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand agents; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l tools -d 'Offer these sets of tools [default: all; for claude-code: history]' -r -f -a "sessions\t'Start and continue sessions'
agents\t'Durable background agents'
history\t'List, search and read transcripts'"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l file -d 'Use this file, such as a project\'s .mcp.json [default: yours for this client]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l name -d 'Give the entry this name' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l write -d 'Merge the entry into the client\'s file, after a backup'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l json -d 'Print what was done as one JSON object'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand config" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l model -d 'Use this model for the real turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l claude-bin -d 'Run this Claude executable [default: found in PATH, or ~/.local/bin/claude]' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l state-dir -d 'Keep the agents\' database here [default: ~/.local/state/ccmcp, or the system\'s own place]' -r -f -a "(__fish_complete_directories)"
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l accept-model -d 'Accept this model id too (repeatable)' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l process-limit -d 'Run at most this many agent processes, over all servers of one state directory' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l idle-timeout -d 'End an agent\'s process after this many seconds without a turn' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l stall-timeout-ms -d 'Report an agent\'s turn as stalled after this many milliseconds of silence' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l log-file -d 'Write diagnostics to this file instead of standard error' -r -F
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l log-level -d 'Write diagnostics from this level up: error, warn, info, debug or trace' -r
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l json -d 'Print the checks as one JSON object'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l live -d 'Also run one real turn, after asking'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l yes -d 'Don\'t ask before the real turn'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -l require-subscription -d 'Refuse to run on an API key, which is billed by the token'
complete -c ccmcp -n "__fish_ccmcp_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
