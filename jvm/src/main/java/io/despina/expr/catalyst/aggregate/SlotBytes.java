package io.despina.expr.catalyst.aggregate;

import io.despina.expr.catalyst.codegen.BufferSlot;
import io.despina.expr.catalyst.codegen.SlotPlace;
import io.despina.expr.catalyst.codegen.Slots;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.types.DataType;

/** An accumulator as bytes: primitive slots, then the declarative buffers' objects as one row, then part by part. */
public final class SlotBytes {
    private final Layout layout;
    private final SpecialPart[] special;
    /** Made when needed; null if there are no objects. */
    private RowBytes rows;

    /**
     * The leaves of all declarative buffers.
     *
     * @param numbers types of the primitives
     * @param types   of the objects
     */
    public record Layout(List<SlotPlace> primitives, List<DataType> numbers, List<SlotPlace> objects, List<DataType> types) {

        public static Layout of(AggregateProgram program) {
            List<BufferSlot> objects = program.slots(false);
            List<BufferSlot> primitives = program.slots(true);
            return new Layout(primitives.stream().map(s -> s.place).toList(),
                    primitives.stream().map(BufferSlot::dataType).toList(),
                    objects.stream().map(s -> s.place).toList(), objects.stream().map(BufferSlot::dataType).toList());
        }
    }

    SlotBytes(Layout layout, SpecialPart[] special) {
        this.layout = layout;
        this.special = special;
    }

    private RowBytes rows() {
        if (rows == null && !layout.types.isEmpty()) {
            rows = new RowBytes(layout.types);
        }
        return rows;
    }

    String schema() {
        return Stream.of(layout.numbers.stream().map(DataType::sql), layout.types.stream().map(DataType::sql),
                Stream.of(special).map(SpecialPart::schema)).flatMap(each -> each).collect(Collectors.joining(", ", "(", ")"));
    }

    void write(Slots slots, DataOutput out) throws IOException {
        for (SlotPlace place : layout.primitives) {
            out.writeBoolean(place.isNull(slots));
            out.writeLong(place.bits(slots));
        }
        if (rows() != null) {
            rows.write(layout.objects.stream().map(place -> slots.objects[place.slot()]).toArray(), out);
        }
        for (SpecialPart part : special) {
            part.write(slots, out);
        }
    }

    void read(Slots slots, DataInput in) throws IOException {
        for (SlotPlace place : layout.primitives) {
            boolean isNull = in.readBoolean();
            place.put(slots, isNull, in.readLong());
        }
        if (rows() != null) {
            Object[] values = rows.read(in);
            for (int k = 0; k < values.length; k++) {
                slots.objects[layout.objects.get(k).slot()] = values[k];
            }
        }
        for (SpecialPart part : special) {
            part.read(slots, in);
        }
    }
}
