import './reference.css';
import './search.js';
import './code-blocks.js';
