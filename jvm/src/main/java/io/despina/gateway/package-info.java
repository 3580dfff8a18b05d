/**
 * The one façade that Python calls, the same methods over py4j and JPype: strings and bytes only, every answer JSON.
 */
package io.despina.gateway;
