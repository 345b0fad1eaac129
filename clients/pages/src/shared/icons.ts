/** Drawn here, so that nothing is fetched. All are decoration: the words stand beside them or in a label. */

import { svg, type TemplateResult } from "lit";

const icon = (path: TemplateResult): TemplateResult => svg`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"
  fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round">${path}</svg>`;

export const icons = {
  send: icon(svg`<path d="M10 16V4.500M5 9.500l5-5 5 5"/>`),
  stop: icon(svg`<rect x="5.500" y="5.500" width="9" height="9" rx="1.500" fill="currentColor" stroke="none"/>`),
  copy: icon(svg`<rect x="7" y="7" width="9" height="9" rx="2"/><path d="M4 12.500V5.500A1.500 1.500 0 0 1 5.500 4h7"/>`),
  check: icon(svg`<path d="m4.500 10.500 3.500 3.500 7.500-8"/>`),
  cross: icon(svg`<path d="m5.500 5.500 9 9m0-9-9 9"/>`),
  up: icon(svg`<path d="M7 9.200 9.800 3.500c1.200 0 2 .9 1.800 2.100L11.200 8h3.600a1.500 1.500 0 0 1 1.500 1.800l-.9 4.900a1.800 1.800 0 0 1-1.800 1.500H7m0-7v7H4.500a.8.8 0 0 1-.8-.8V10a.8.8 0 0 1 .8-.8H7Z"/>`),
  down: icon(svg`<path d="M13 10.800l-2.800 5.700c-1.200 0-2-.9-1.800-2.100l.4-2.400H5.200a1.500 1.500 0 0 1-1.500-1.800l.9-4.900a1.800 1.800 0 0 1 1.800-1.500H13m0 7v-7h2.500c.4 0 .8.400.8.800V10c0 .4-.4.800-.8.800H13Z"/>`),
  retry: icon(svg`<path d="M15.500 8.500A6 6 0 1 0 16 11M15.800 4.500v4h-4"/>`),
  clock: icon(svg`<circle cx="10" cy="10" r="6.500"/><path d="M10 6.500V10l2.300 1.500"/>`),
  menu: icon(svg`<circle cx="4.500" cy="10" r="1.100" fill="currentColor" stroke="none"/><circle cx="10" cy="10" r="1.100" fill="currentColor" stroke="none"/><circle cx="15.500" cy="10" r="1.100" fill="currentColor" stroke="none"/>`),
  arrowDown: icon(svg`<path d="M10 4v12m-4.500-4.500L10 16l4.500-4.500"/>`),
  back: icon(svg`<path d="M12.500 4.500 7 10l5.500 5.500"/>`),
  warn: icon(svg`<path d="M10 3.500 17.500 16h-15L10 3.500Z"/><path d="M10 8.200v3.600m0 2.100v.1"/>`),
  edit: icon(svg`<path d="m4.500 15.500.6-3L13 4.600a1.400 1.400 0 0 1 2 0l.4.400a1.400 1.400 0 0 1 0 2L7.500 14.900l-3 .6Z"/>`),
  mail: icon(svg`<rect x="3" y="5" width="14" height="10.500" rx="2"/><path d="m3.500 6 6.500 5 6.500-5"/>`),
  task: icon(svg`<rect x="4.500" y="4.500" width="11" height="12" rx="2"/><path d="M8 3h4v3H8zM7.500 11.200l1.800 1.800 3.300-3.600"/>`),
  inbox: icon(svg`<path d="M3.500 11 5.500 4.500h9l2 6.500v4a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-4Zm0 0h4l1 2h3l1-2h4"/>`),
  chat: icon(svg`<path d="M4 5h12a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-5l-3.500 2.800V14H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1Z"/>`),
  question: icon(svg`<circle cx="10" cy="10" r="6.800"/><path d="M8 8a2 2 0 1 1 2.800 1.900c-.6.300-.8.700-.8 1.400m0 2v.1"/>`),
  chart: icon(svg`<path d="M3.500 16.500h13M5.500 13.500V10M10 13.500v-9M14.500 13.500V7.500"/>`),
  doubt: icon(svg`<path d="M10 3.200 16.800 10 10 16.800 3.200 10 10 3.200Z"/><path d="M10 7.200v3.300m0 2v.1"/>`),
  link: icon(svg`<path d="M8 5H5a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-3M11.500 4H16v4.500M16 4l-6.500 6.500"/>`),
};
