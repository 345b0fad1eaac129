"use strict";(()=>{var u=["--sayso-accent","--sayso-on-accent","--sayso-radius","--sayso-font"],r="sayso.kept",l=["Chat","Close chat","Chat","there is news"],b={en:l,nl:["Chat","Chat sluiten","Chat","er is nieuws"]},g=`
:host { all: initial; }
.button, .frame { position: fixed; z-index: 2147483000; }
.button {
inset-block-end: max(20px, env(safe-area-inset-bottom)); inset-inline-end: 20px;
display: grid; place-items: center; width: 56px; height: 56px; padding: 0; border: 0; border-radius: 50%;
background: var(--sayso-accent, #1c5d57); color: var(--sayso-on-accent, #fff); cursor: pointer;
box-shadow: 0 1px 2px rgb(0 0 0 / .18), 0 8px 24px rgb(0 0 0 / .18); transition: transform .16s ease;
}
.button:hover { transform: translateY(-2px); }
.button:focus-visible { outline: 3px solid var(--sayso-accent, #1c5d57); outline-offset: 3px; }
.button svg { width: 26px; height: 26px; }
.button .cross, .button[aria-expanded=true] .bubble { display: none; }
.button[aria-expanded=true] .cross { display: block; }
.dot { position: absolute; top: 2px; right: 2px; width: 12px; height: 12px; border-radius: 50%; background: #d9822b; border: 2px solid #fff; display: none; }
.button[data-news] .dot { display: block; }
.frame {
inset-block-end: calc(max(20px, env(safe-area-inset-bottom)) + 68px); inset-inline-end: 20px;
width: min(400px, calc(100vw - 40px)); height: min(640px, calc(100dvh - 120px)); border: 0;
border-radius: var(--sayso-radius, 16px); background: #fbfaf8; color-scheme: normal;
box-shadow: 0 2px 6px rgb(0 0 0 / .12), 0 18px 60px rgb(0 0 0 / .24);
}
.frame[hidden] { display: none; }
.left .button, .left .frame { inset-inline-end: auto; inset-inline-start: 20px; }
@media (max-width: 480px) {
.frame { inset: 0; width: 100vw; height: 100dvh; border-radius: 0; }
.button[aria-expanded=true] { display: none; }
}
@media (prefers-color-scheme: dark) { .frame { background: #171615; } }
@media (prefers-reduced-motion: reduce) { .button { transition: none; } }
`,a=class{#a;#n;#i=document.createElement("div");#t=document.createElement("button");#o;#s=null;#e=!1;#l=!1;constructor(t){this.#a=new URL(t.src).origin;let{theme:s,position:e,language:i,label:o}=t.dataset;this.#n={theme:s==="light"||s==="dark"?s:"auto",position:e==="left"?"left":"right",language:i??void 0,label:o??void 0};let h=i??(document.documentElement.lang||navigator.language);this.#o=b[h.slice(0,2)]??l,t.dataset.accent&&this.#i.style.setProperty("--sayso-accent",t.dataset.accent),this.#u(),addEventListener("message",p=>this.#b(p)),this.#c().waiting&&this.#h()}open(){this.#h(),this.#e=!0,this.#r(),this.#d({type:"sayso:opened"}),this.#s?.focus()}close(){this.#e=!1,this.#r(),this.#t.focus()}#u(){let t=this.#i.attachShadow({mode:"open"}),s=new CSSStyleSheet;s.replaceSync(g),t.adoptedStyleSheets=[s];let e=document.createElement("div");e.className=this.#n.position,this.#t.type="button",this.#t.className="button",this.#t.append(d("bubble","M5 5.500h14a1.500 1.500 0 0 1 1.500 1.500v8a1.500 1.500 0 0 1-1.500 1.500h-6l-4.500 3.800v-3.800H5A1.500 1.500 0 0 1 3.500 15V7A1.500 1.500 0 0 1 5 5.500Z"),d("cross","m6 6 12 12M18 6 6 18"));let i=document.createElement("span");i.className="dot",this.#t.append(i),this.#t.addEventListener("click",()=>this.#e?this.close():this.open()),t.addEventListener("keydown",o=>{o.key==="Escape"&&this.#e&&this.close()}),e.append(this.#t),t.append(e),this.#i.id="sayso-widget",document.body.append(this.#i),this.#r()}#h(){if(this.#s)return;let t=this.#s=document.createElement("iframe");t.className="frame",t.title=this.#n.label??this.#o[2],t.setAttribute("sandbox","allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"),t.setAttribute("allow","clipboard-write"),t.referrerPolicy="no-referrer",t.src=`${this.#a}/widget`,t.hidden=!0,this.#t.before(t)}#r(){this.#s&&(this.#s.hidden=!this.#e),this.#t.ariaExpanded=String(this.#e),this.#e&&delete this.#t.dataset.news;let t="news"in this.#t.dataset?`, ${this.#o[3]}`:"";this.#t.ariaLabel=this.#e?this.#o[1]:(this.#n.label??this.#o[0])+t}#b(t){if(t.origin!==this.#a||t.source!==this.#s?.contentWindow)return;let s=t.data??{};switch(s.type){case"sayso:ready":{this.#l=!0;let e=this.#c();this.#d({type:"sayso:config",theme:this.#n.theme,language:this.#n.language,variables:this.#g(),...s.storage?{}:{kept:{token:e.token??null,thread:e.thread??null}}}),this.#e&&this.#d({type:"sayso:opened"});break}case"sayso:keep":this.#p(m(s,["token","thread"]));break;case"sayso:state":this.#p({waiting:s.waiting===!0}),s.news===!0&&!this.#e&&(this.#t.dataset.news=""),this.#r();break;case"sayso:close":this.close()}}#g(){let t=getComputedStyle(this.#i),s=u.map(e=>[e,t.getPropertyValue(e).trim()]);return Object.fromEntries(s.filter(([,e])=>e!==""))}#d(t){this.#l&&this.#s?.contentWindow?.postMessage(t,this.#a)}#c(){try{return JSON.parse(localStorage.getItem(r)??"{}")}catch{return{}}}#p(t){try{localStorage.setItem(r,JSON.stringify({...this.#c(),...t}))}catch{}}};function d(n,t){let s="http://www.w3.org/2000/svg",e=document.createElementNS(s,"svg");e.setAttribute("class",n),e.setAttribute("viewBox","0 0 24 24"),e.setAttribute("fill","none"),e.setAttribute("stroke","currentColor"),e.setAttribute("stroke-width","1.8"),e.setAttribute("stroke-linecap","round"),e.setAttribute("stroke-linejoin","round"),e.setAttribute("aria-hidden","true");let i=document.createElementNS(s,"path");return i.setAttribute("d",t),e.append(i),e}function m(n,t){return Object.fromEntries(t.filter(s=>s in n).map(s=>[s,n[s]]))}var c=document.currentScript;if(c instanceof HTMLScriptElement&&!document.getElementById("sayso-widget")){let n=()=>{let t=new a(c);Object.assign(globalThis,{sayso:{open:()=>t.open(),close:()=>t.close()}})};document.body?n():addEventListener("DOMContentLoaded",n)}})();
