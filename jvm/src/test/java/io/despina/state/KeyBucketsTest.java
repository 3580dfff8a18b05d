package io.despina.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Murmur3Hash;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class KeyBucketsTest {
    private static final Schema KEY = Schema.of(column("a", Simple.BOOLEAN), column("b", Simple.TINYINT),
            column("c", Simple.SMALLINT), column("d", Simple.INT), column("e", Simple.BIGINT), column("f", Simple.FLOAT),
            column("g", Simple.DOUBLE), column("h", Simple.DATE), column("i", Simple.TIMESTAMP),
            column("j", Simple.STRING), column("k", Simple.BINARY), column("l", new Type.Decimal(18, 2)),
            column("m", new Type.Decimal(38, 3)));

    private static Column column(String name, Type type) {
        return new Column(name, type, true);
    }

    private static Packet packet(List<Object> row) {
        byte[] bytes = Rows.encode(KEY, List.of(row));
        Packet packet = new Packet(KEY.layout());
        packet.wrap(bytes, 0, bytes.length);
        return packet;
    }

    @Property(tries = 300)
    void asSparkHashes(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] binary = new byte[random.nextInt(12)];
        random.nextBytes(binary);
        String text = "aé€𝄞z-0123".substring(0, random.nextInt(4)) + binary.length;
        BigDecimal small = BigDecimal.valueOf(random.nextLong() / 100, 2);
        BigDecimal large = new BigDecimal(new BigInteger(1 + random.nextInt(110), random), 3)
                .multiply(BigDecimal.valueOf(random.nextBoolean() ? 1 : -1));
        float real = random.nextInt(5) == 0 ? -0f : random.nextInt(5) == 0 ? Float.NaN : random.nextFloat();
        double number = random.nextInt(5) == 0 ? -0d : random.nextInt(5) == 0 ? Double.NaN : random.nextDouble();
        Object[] values = {random.nextBoolean(), (byte) random.nextInt(), (short) random.nextInt(), random.nextInt(),
            random.nextLong(), real, number, random.nextInt(), random.nextLong(), text, binary, small, large};
        Object[] sparks = values.clone();
        sparks[9] = UTF8String.fromString(text);
        sparks[11] = Decimal.apply(small, 18, 2);
        sparks[12] = Decimal.apply(large, 38, 3);
        DataType[] types = {DataTypes.BooleanType, DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType,
            DataTypes.LongType, DataTypes.FloatType, DataTypes.DoubleType, DataTypes.DateType, DataTypes.TimestampType,
            DataTypes.StringType, DataTypes.BinaryType, DataTypes.createDecimalType(18, 2),
            DataTypes.createDecimalType(38, 3)};
        Expression[] literals = new Expression[values.length];
        for (int k = 0; k < values.length; k++) {
            if (random.nextInt(6) == 0) {
                values[k] = null;
                sparks[k] = null;
            }
            literals[k] = new Literal(sparks[k], types[k]);
        }
        int expected = (Integer) new Murmur3Hash(CollectionConverters.asScala(List.of(literals)).toSeq(), 42).eval(null);
        Packet key = packet(Rows.row(values));
        assertEquals(expected, new KeyBuckets(KEY, 256).hash(key));
        assertEquals(Math.floorMod(expected, 256), new KeyBuckets(KEY, 256).of(key));
    }

    @Property(tries = 100)
    void nestedKeysAsSparkHashesThem(@ForAll long seed) {
        Random random = new Random(seed);
        Type.Struct struct = new Type.Struct(List.of(column("n", Simple.BIGINT), column("s", Simple.STRING)));
        Schema nested = Schema.of(column("a", new Type.Array(Simple.STRING, true)), column("b", struct),
                column("c", new Type.Array(struct, true)), column("d", new Type.Array(new Type.Array(Simple.INT, false), false)));
        List<Object> texts = several(random, () -> random.nextInt(4) == 0 ? null : "t" + random.nextInt(100));
        List<Object> fields = fields(random);
        List<Object> structs = several(random, () -> random.nextInt(4) == 0 ? null : fields(random));
        List<Object> lists = several(random, () -> several(random, () -> random.nextInt(9)));
        Packet packet = Rows.packet(nested, texts, fields, structs, lists);
        DataType row = DataTypes.createStructType(List.of(DataTypes.createStructField("n", DataTypes.LongType, true),
                DataTypes.createStructField("s", DataTypes.StringType, true)));
        List<Expression> literals = List.of(new Literal(array(texts), DataTypes.createArrayType(DataTypes.StringType)),
                new Literal(spark(fields), row), new Literal(array(structs), DataTypes.createArrayType(row)),
                new Literal(array(lists), DataTypes.createArrayType(DataTypes.createArrayType(DataTypes.IntegerType))));
        int expected = (Integer) new Murmur3Hash(CollectionConverters.asScala(literals).toSeq(), 42).eval(null);
        assertEquals(expected, new KeyBuckets(nested, 256).hash(packet));
    }

    private static List<Object> several(Random random, Supplier<Object> each) {
        return Stream.generate(each).limit(random.nextInt(5)).collect(Collectors.toList());
    }

    private static List<Object> fields(Random random) {
        return Rows.row(random.nextInt(4) == 0 ? null : random.nextLong(),
                random.nextInt(4) == 0 ? null : "s" + random.nextInt(100));
    }

    private static GenericArrayData array(List<?> values) {
        return new GenericArrayData(values.stream().map(KeyBucketsTest::element).toArray());
    }

    /** Lists of two with a number first are structs here, unless both are numbers. */
    private static Object element(Object value) {
        if (value instanceof String text) {
            return UTF8String.fromString(text);
        }
        if (value instanceof List<?> list) {
            boolean isStruct = list.size() == 2 && list.stream().anyMatch(each -> each instanceof Long || each instanceof String)
                    || list.size() == 2 && list.stream().allMatch(each -> each == null);
            return isStruct ? spark(list) : array(list);
        }
        return value;
    }

    private static InternalRow spark(List<?> fields) {
        return new GenericInternalRow(fields.stream().map(KeyBucketsTest::element).toArray());
    }

    @Test
    void keysWithMapsHaveNoBucket() {
        Schema map = Schema.of(column("a", new Type.MapOf(Simple.INT, Simple.INT, false)));
        byte[] bytes = Rows.encode(map, List.of(List.of(Map.of(1, 2))));
        Packet packet = new Packet(map.layout());
        packet.wrap(bytes, 0, bytes.length);
        assertEquals(SectionWriter.NO_BUCKET, new KeyBuckets(map, 256).of(packet));
    }
}
