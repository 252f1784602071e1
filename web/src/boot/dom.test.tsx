import { render } from 'solid-js/web';
import { expect, test } from 'vitest';
import { build } from './dom';

const show = (markup: string, svg = false): string => {
  const host = document.createElement('div');
  host.append(build(markup, svg));
  return host.innerHTML;
};

test('nodes match the markup', () => {
  expect(show('<div class="a b" title="x &amp; &quot;y&quot;"><p>one <b>two</b></p><br><input type="text" disabled></div>')).toBe(
    '<div class="a b" title="x &amp; &quot;y&quot;"><p>one <b>two</b></p><br><input type="text" disabled=""></div>',
  );
  expect(show('<p>a &lt; b<!>c</p>')).toBe('<p>a &lt; b<!---->c</p>');
});

test('svg elements have the SVG namespace, also inside HTML', () => {
  const node = build('<span><svg viewBox="0 0 1 1"><path d="M0 0"></path></svg></span>', false) as Element;
  expect(node.querySelector('path')?.namespaceURI).toBe('http://www.w3.org/2000/svg');
});

test('compiled components use this runtime', () => {
  const host = document.createElement('div');
  const stop = render(
    () => (
      <section class="x">
        {['a', 'b'].map((one) => (
          <i title={one}>{one}</i>
        ))}
        <svg>
          <circle r="2" />
        </svg>
      </section>
    ),
    host,
  );
  expect(host.innerHTML).toBe('<section class="x"><i title="a">a</i><i title="b">b</i><svg><circle r="2"></circle></svg></section>');
  stop();
});
