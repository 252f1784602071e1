// Texts that would do something if anything took them for more than text.
export const CORPUS = [
  '<script>window.__ran=1</script>', '<img src=x onerror="window.__ran=2">', '<svg onload="window.__ran=3"></svg>', '<iframe srcdoc="<script>parent.__ran=4</script>"></iframe>',
  '[a](javascript:window.__ran=5)', '![p](https://evil.example/pixel.png)', '<a href="javascript:window.__ran=6">x</a>', '<style>@import "https://evil.example/a.css";</style>', '[b](data:text/html,<script>window.__ran=7</script>)',
  '<link rel=stylesheet href=https://evil.example/b.css>', '<meta http-equiv=refresh content="0;url=https://evil.example/">', '"><input autofocus onfocus="window.__ran=8">', '<form action=https://evil.example/><button>go</button></form>',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.__ran=9>', '{{constructor.constructor("window.__ran=10")()}}', '`${window.__ran=11}`', '<base href="https://evil.example/">', '\u202egpj.exe\u202c \u200b\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
];
