/** The event time of a source's packets: watermarks, and when a replayed packet is due. */
package io.despina.operator.source.time;
