/** The façade that Python calls, with the same methods over py4j and JPype: strings and bytes in, JSON out. */
package io.despina.gateway;
