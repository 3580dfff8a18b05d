/** Sources that read what programs send to them over sockets. */
package io.despina.operator.source.socket;
