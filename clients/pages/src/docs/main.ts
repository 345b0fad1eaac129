/** The API at `/docs`: Swagger UI on this server's own description of itself, served from here like everything else. */

import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";

SwaggerUI({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  docExpansion: "list",
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // Nothing is asked of anybody else.
  validatorUrl: null,
  queryConfigEnabled: false,
});
