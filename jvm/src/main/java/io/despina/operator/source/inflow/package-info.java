/** What sources share that take records from a queue, which threads of sockets or of connectors fill. */
package io.despina.operator.source.inflow;
