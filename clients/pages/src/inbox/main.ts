import "./card-element.js";
import "./lists.js";
import "./gaps-element.js";
import "./effects-element.js";
import "./stats-element.js";
import "./inbox-element.js";
