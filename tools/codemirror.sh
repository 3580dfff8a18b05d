#!/bin/sh
# Makes codemirror.js of the page's vendor folder anew: one module of what the editor takes of CodeMirror's packages. Wants npm.
#   tools/codemirror.sh && sha256sum python/src/despina/service/page/vendor/codemirror.js       # into vendor/NOTICE, with the versions
set -eu
out=$(cd "$(dirname "$0")/.." && pwd)/python/src/despina/service/page/vendor/codemirror.js
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > codemirror.js <<'END'
export { EditorState } from "@codemirror/state";
export { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export { HighlightStyle, bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting, syntaxTree } from "@codemirror/language";
export { json } from "@codemirror/lang-json";
export { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
export { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
export { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
export { tags } from "@lezer/highlight";
END
npm init --yes > /dev/null
npm install --no-audit --no-fund --ignore-scripts @codemirror/autocomplete@6.20.4 @codemirror/commands@6.11.1 @codemirror/lang-json@6.0.2 \
    @codemirror/language@6.13.1 @codemirror/lint@6.9.8 @codemirror/search@6.7.2 @codemirror/state@6.7.6 @codemirror/view@6.43.15 esbuild@0.28.2
node_modules/@esbuild/*/bin/esbuild codemirror.js --bundle --format=esm --minify --legal-comments=none --target=es2022 "--outfile=$out"
