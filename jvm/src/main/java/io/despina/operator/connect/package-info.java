/** The operators of connectors: what they share, whatever the server is. Its library is in a jar of its own. */
package io.despina.operator.connect;
