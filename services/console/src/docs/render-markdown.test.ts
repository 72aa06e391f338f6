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
  expect(rendered(`\`\`\`sh\n${hostile}\n\`\`\``)).toBe(`<pre><code>${safe}</code></pre>`);
  expect(rendered(`| ${hostile} |\n| --- |\n| ${hostile} |`).split(`>${safe}<`)).toHaveLength(3);
});

test('links go to https or to an anchor of the page, and nothing else is a link', () => {
  expect(renderInline('[here](#errors)').html).toBe('<a href="#errors">here</a>');
  expect(renderInline('[there](https://a.example/b)').html).toBe('<a href="https://a.example/b">there</a>');
  expect(renderInline('[trap](javascript:alert)').html).toBe('[trap](javascript:alert)');
  expect(renderInline('[trap](#"onclick="x)').html).not.toContain('"onclick');
});

test('a line may hold code, bold text and links, one inside the other', () => {
  expect(renderInline('**Needs** the `x:y` of [`a`](#b)').html).toBe(
    '<strong>Needs</strong> the <code>x:y</code> of <a href="#b"><code>a</code></a>',
  );
});

test('paragraphs end with a blank line, and code blocks keep theirs', () => {
  expect(rendered('one\ntwo\n\nthree')).toBe('<p>one two</p><p>three</p>');
  expect(rendered('```js\na\n\n  b\n```\nafter')).toBe('<pre><code>a\n\n  b</code></pre><p>after</p>');
});

test('an item of a list may continue on the next line', () => {
  expect(rendered('1. one\n   more\n2. two')).toBe('<ol><li>one more</li><li>two</li></ol>');
});

test('the cells of a row are not one word', () => {
  expect(renderMarkdown('| a | b |\n| --- | --- |\n| c | d |').html).toMatch(/>c<\/td>\s+<td[^>]*>d</);
});

test('a cell of a table may hold a bar', () => {
  expect(rendered('| a \\| b |\n| --- |\n| c |')).toContain('>a | b</th>');
});
