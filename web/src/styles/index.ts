// The style sheets of the page, in the order of their layers.
import './layers.css';
import './tokens.css';
import './base.css';
import './parts.css';
import './code.css';
import './stream.css';
