# Takes a MIME message apart: NN.type, NN.body, and NN.base64 where the body is that. A text that is no message is one
# part. Bodies that are not Base64 are taken line by line, so they had better be text.

function header(line) {
  if (tolower(line) ~ /^content-type:/) {
    type = line
    sub(/^[^:]*:[ \t]*/, "", type)
    sub(/[; \t].*$/, "", type)
  }
  if (match(line, /boundary="[^"]*"/)) {
    boundary = substr(line, RSTART + 10, RLENGTH - 11)
  } else if (match(line, /boundary=[^ ;]*/)) {
    boundary = substr(line, RSTART + 9, RLENGTH - 9)
  }
  if (tolower(line) ~ /^content-transfer-encoding:[ \t]*base64/) base64 = 1
}

function begin_part() {
  in_headers = 1
  type = boundary = file = ""
  base64 = 0
}

function begin_body() {
  in_headers = 0
  if (tolower(type) ~ /^multipart\//) {
    bounds["--" boundary] = 1
    return
  }
  file = sprintf("%s/%02d", parts, ++count)
  print tolower(type) > (file ".type")
  close(file ".type")
  if (base64) {
    printf "" > (file ".base64")
    close(file ".base64")
  }
  printf "" > (file ".body")
}

NR == 1 {
  begin_part()
  if ($0 !~ /^[A-Za-z-]+:/) begin_body()
}

{
  line = $0
  sub(/\r$/, "", line)
  if (line in bounds) {
    begin_part()
    next
  }
  if (substr(line, length(line) - 1) == "--" && substr(line, 1, length(line) - 2) in bounds) {
    file = ""
    in_headers = 0
    next
  }
  if (in_headers) {
    if (line == "") begin_body()
    else header(line)
  } else if (file != "") {
    print > (file ".body")
  }
}
