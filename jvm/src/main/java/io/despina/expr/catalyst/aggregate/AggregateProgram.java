package io.despina.expr.catalyst.aggregate;

import io.despina.expr.catalyst.codegen.BufferSlot;
import io.despina.expr.catalyst.codegen.BufferWrite;
import io.despina.expr.catalyst.codegen.Codegen;
import io.despina.expr.catalyst.codegen.Generated;
import io.despina.expr.catalyst.codegen.Interpreted;
import io.despina.expr.catalyst.codegen.PacketColumn;
import io.despina.expr.catalyst.codegen.Program;
import io.despina.expr.catalyst.codegen.UncompiledException;
import io.despina.packet.Column;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A select list with aggregates, bound. Results read the row's packet as input 0 and the key as input 1.
 *
 * @param places  the places of the buffers' values
 * @param columns the number of columns used of the input row
 */
public record AggregateProgram(List<AggregatePart> parts, BufferSlot.SlotAllocator places, int columns, Program results)
        implements Serializable {

    /** The writes of generated code for a packet. */
    public List<BufferWrite> updates() {
        return parts.stream().filter(AggregatePart::isPlain).map(AggregatePart::update).toList();
    }

    /** The writes of generated code for a merge. */
    public List<BufferWrite> merges() {
        return parts.stream().filter(AggregatePart::isPlain).map(AggregatePart::merge).toList();
    }

    static Generated.Update update(List<BufferWrite> writes) {
        try {
            return Codegen.update(writes).instance(Generated.Update.class);
        } catch (UncompiledException e) {
            return new Interpreted.Buffers(writes);
        }
    }

    Generated.Result result(List<Column> result) {
        try {
            return Codegen.result(results, result).instance(Generated.Result.class);
        } catch (UncompiledException e) {
            return new Interpreted(results, result);
        }
    }

    /** The columns of packets that it reads, except those of keys. */
    public List<PacketColumn> reads() {
        Stream<PacketColumn> updates = Program.reads(parts.stream().flatMap(AggregatePart::overPacket)).stream();
        return Stream.concat(updates, results.reads().stream().filter(column -> column.input == AggregateSplit.CURRENT)).toList();
    }

    /** The leaves of all declarative buffers with primitive values, or with objects, in order. */
    List<BufferSlot> slots(boolean primitive) {
        List<BufferSlot> slots = new ArrayList<>();
        for (AggregatePart part : parts) {
            if (part.update() != null) {
                for (BufferSlot slot : part.update().slots()) {
                    if (BufferSlot.isPrimitive(slot.dataType()) == primitive) {
                        slots.add(slot);
                    }
                }
            }
        }
        return slots;
    }
}
