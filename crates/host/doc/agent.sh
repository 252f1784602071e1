# The agent of the documentation examples: it answers `initialize` and has one answer to every prompt.
while IFS= read -r line; do
  case $line in
    *'"type":"control_request"'*)
      id=${line#*'"request_id":"'}
      printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "${id%%'"'*}"
      ;;
    *)
      printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"num_turns":1,"result":"4","session_id":"s","total_cost_usd":0,"usage":{},"modelUsage":{},"permission_denials":[],"uuid":"u"}'
      ;;
  esac
done
