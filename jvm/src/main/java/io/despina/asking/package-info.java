/** Sources that ask: readers of HTTP servers, each with a thread of its own that may wait. */
package io.despina.asking;
