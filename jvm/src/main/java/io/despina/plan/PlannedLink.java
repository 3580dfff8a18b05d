package io.despina.plan;

import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.spec.Partition;
import java.util.List;

/**
 * One link of a plan.
 *
 * @param index     its place in the file and in {@link Plan#links}
 * @param name      {@code from->to} as written, ports included: its name in reports
 * @param doc       empty if it has none
 * @param columns   for each column of the receiving port the ordinal of the sender's column, if packets must be rewritten because
 *                  the port's streams differ in column order or nullability; empty if packets need no rewriting
 * @param fused     whether both ends are neighbours in a {@link PlannedChain}
 * @param shared    whether a process of the sender's may do the receiver's work too, see {@link SharedProcesses}
 */
public record PlannedLink(int index, String name, String doc, String from, String fromPort, String to, String toPort,
        Partition partition, BufferSpec buffer, CompressionSpec compression, List<Integer> columns, boolean fused,
        boolean shared) {

    public PlannedLink {
        columns = List.copyOf(columns);
    }
}
