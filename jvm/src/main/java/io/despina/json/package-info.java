/** JSON as trees, and records as JSON: for control messages, options, answers and manifests. */
package io.despina.json;
