import { expect, test } from '@jest/globals';
import { renderInline, renderMarkdown } from './render-markdown.js';

/** Without spaces between elements, which have no effect. */
const rendered = (text: string) => renderMarkdown(text).html.trim().replaceAll(/>\s+</g, '><');

test('text that looks like HTML stays text, at any position', () => {
  const hostile = '<script>alert("1")</script> & <b>';
  const safe = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &lt;b&gt;';

  expect(rendered(hostile)).toBe(`<p>${safe}</p>`);
  expect(rendered(`- ${hostile}`)).toBe(`<ul><li>${safe}</li></ul>`);
  expect(rendered(`\`${hostile}\``)).toBe(`<p><code>${safe}</code></p>`);
  expect(rendered(`\`\`\`sh\n${hostile}\n\`\`\``)).toContain(`>${safe}\n</code></pre>`);
  expect(rendered(`| ${hostile} |\n| --- |\n| ${hostile} |`).split(`>${safe}<`)).toHaveLength(3);
});

test('links go to https or to an anchor of the page, and nothing else is a link', () => {
  expect(renderInline('[here](#errors)').html).toBe('<a href="#errors">here</a>');
  expect(renderInline('[there](https://a.example/b)').html).toBe('<a href="https://a.example/b">there</a>');
  expect(renderInline('[trap](javascript:alert)').html).toBe('[trap](javascript:alert)');
  expect(renderInline('[trap](#"onclick="x)').html).not.toContain('"onclick');
  expect(renderInline('![pixel](https://a.example/b.png)').html).not.toContain('<img');
});

test('a table that is wider than the screen scrolls, also by keyboard', () => {
  expect(rendered('| a \\| b | `c` |\n| --- | --- |\n| 1 | 2 |')).toBe(
    '<div class="wide" tabindex="0"><table><thead><tr><th>a | b</th><th><code>c</code></th></tr></thead>' +
      '<tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>',
  );
});

test('the cells of a row are not one word', () => {
  expect(renderMarkdown('| a | b |\n| --- | --- |\n| c | d |').html).toMatch(/>c<\/td>\s+<td[^>]*>d</);
});
