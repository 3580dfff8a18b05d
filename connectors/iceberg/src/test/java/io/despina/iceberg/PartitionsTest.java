package io.despina.iceberg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.despina.connect.LakeTable.Partition;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;

/** Values are those of Iceberg's specification, its appendix B among them. */
class PartitionsTest {
    private static final Schema COLUMNS = new Schema(NestedField.optional(1, "ts", Types.TimestampType.withZone()),
            NestedField.optional(2, "day", Types.DateType.get()), NestedField.optional(3, "id", Types.LongType.get()),
            NestedField.optional(4, "name", Types.StringType.get()), NestedField.optional(5, "raw", Types.BinaryType.get()),
            NestedField.optional(6, "day(ts)", Types.IntegerType.get()));
    /** 2017-11-16T22:31:08Z */
    private static final long MICROS = 1_510_871_468_000_000L;
    private static final int DAYS = 17_486;

    private static String text(String words, Object value) {
        PartitionSpec spec = Partitions.of(COLUMNS, List.of(words));
        PartitionField field = spec.fields().get(0);
        assertEquals(words, Partitions.words(Partitions.written(spec).get(0)), "as the graph says it");
        return Partitions.text(field.transform(), COLUMNS.findType(field.sourceId()), value);
    }

    @Test
    void transformsAreThoseOfTheSpecification() {
        assertEquals("2017-11-16", text("day(day)", DAYS));
        assertEquals("47", text("year(ts)", MICROS));
        assertEquals("574", text("month(ts)", MICROS));
        assertEquals("419686", text("hour(ts)", MICROS));
        assertEquals(Integer.toString((2_017_239_379 & Integer.MAX_VALUE) % 16), text("bucket(16, id)", 34L));
        assertEquals(Integer.toString((1_210_000_089 & Integer.MAX_VALUE) % 7), text("bucket(7, name)", "iceberg"));
        assertEquals(Integer.toString((-188_683_207 & Integer.MAX_VALUE) % 16), text("bucket(16, raw)", new byte[] {0, 1, 2, 3}));
        assertEquals("iceb", text("truncate(4, name)", "iceberg"));
        assertEquals("-10", text("truncate(10, id)", -1L));
    }

    /** A text cannot say which bytes they are. */
    @Test
    void whatIsCutOfBytesIsNotWritten() {
        PartitionSpec spec = PartitionSpec.builderFor(COLUMNS).truncate("raw", 2).truncate("name", 2).alwaysNull("ts").build();
        assertEquals(List.of(false, true, true), spec.fields().stream()
                .map(each -> Partitions.isWritten(each, COLUMNS.findType(each.sourceId()))).toList());
    }

    @Test
    void aColumnWhoseNameIsAFunctionIsOneAllTheSame() {
        PartitionSpec spec = Partitions.of(COLUMNS, List.of("day(ts)"));
        assertEquals(new Partition("day(ts)", null), Partitions.written(spec).get(0));
    }

    @Test
    void valuesOfAFileAreThoseOfItsRows() {
        PartitionSpec spec = Partitions.of(COLUMNS, List.of("name", "day", "bucket(16, id)"));
        String hive = "__HIVE_DEFAULT_PARTITION__";
        StructLike values = Partitions.values(spec, List.of(hive, "2017-11-16", "3"));
        assertEquals(hive, values.get(0, String.class), "a text, and not NULL");
        assertEquals(DAYS, values.get(1, Integer.class));
        assertEquals(3, values.get(2, Integer.class));
        assertNull(Partitions.values(spec, Arrays.asList(null, null, null)).get(0, String.class));
        assertEquals("", Partitions.values(spec, Arrays.asList("", null, null)).get(0, String.class));
    }
}
