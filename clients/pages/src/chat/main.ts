import "./markdown-element.js";
import "./request-element.js";
import "./turn-element.js";
import "./composer-element.js";
import "./chat-element.js";
