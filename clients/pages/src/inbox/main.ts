import "./card-element.js";
import "./lists.js";
import "./stats-element.js";
import "./inbox-element.js";
