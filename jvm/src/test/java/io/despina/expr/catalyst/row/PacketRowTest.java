package io.despina.expr.catalyst.row;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.catalyst.CatalystCompiler;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PacketRowTest {
    private static final String VALUES = "named_struct('a', 1, 'b', 'é', 'c', array(1.5D, null), 'd', 12.34BD) AS s, "
            + "array('x', null, 'yy') AS l, map('k', array(1, 2), 'm', null) AS m, "
            + "cast('12345678901234567890.12' AS DECIMAL(30, 2)) AS d, array(array(true), array()) AS n, "
            + "'text' AS t, X'0102' AS b, INTERVAL '1' MONTH AS ym, INTERVAL '1' SECOND AS ds";
    private static final CatalystCompiler COMPILER = new CatalystCompiler(true, "UTC");
    private static final Schema ONE = Packets.schema("i INT");

    private static ProjectionPlan nested() throws Exception {
        return COMPILER.project(Scope.of(ONE), List.of(VALUES.split("(?<= AS \\w{1,2}), ")));
    }

    private static Packet packet(ProjectionPlan plan) {
        PacketWriter out = Packets.writer(plan.result());
        out.begin();
        plan.compiled().instance(0).apply(new Packet[] {Packets.of(ONE, 1)}, out);
        out.commit();
        Packet packet = new Packet(plan.result().layout());
        packet.wrap(out.bytes(), 0, out.position());
        return packet;
    }

    @Test
    void nestedValuesGoThroughPacketsUnchanged() throws Exception {
        ProjectionPlan plan = nested();
        Packet packet = packet(plan);
        List<Object> values = Packets.values(packet, plan.result());
        assertEquals("[1,é,[1.5,null],12.34]", values.get(0).toString());
        assertEquals("[x,null,yy]", values.get(1).toString());
        assertEquals("keys: [k,m], values: [[1,2],null]", values.get(2).toString());
        assertEquals("12345678901234567890.12", values.get(3).toString());
        assertEquals("[[true],[]]", values.get(4).toString());
        ProjectionPlan again = COMPILER.project(Scope.of(plan.result()), List.of("*", "s.c[0] AS c", "m['k'][1] AS k",
                "l[2] AS y", "transform(l, x -> upper(x)) AS up", "struct(s, l) AS deep"));
        List<Object> copied = Packets.apply(again, packet);
        assertEquals(values.subList(0, 2).toString(), copied.subList(0, 2).toString());
        assertEquals("[1.5, 2, yy, [X,null,YY]]", copied.subList(9, 13).toString());
        assertEquals("[[1,é,[1.5,null],12.34],[x,null,yy]]", copied.get(13).toString());
    }

    @Test
    void poisonedBytesAreRefusedAndNeverReadOutside() throws Exception {
        ProjectionPlan plan = nested();
        Packet good = packet(plan);
        Projection reader = COMPILER.project(Scope.of(plan.result()), List.of("s.b", "size(l) AS n", "upper(t) AS u",
                "substring(s.b, 2, 3) AS z", "m['m'] AS m", "transform(l, x -> concat(x, t)) AS x", "hash(s, l) AS h",
                "d + 1 AS d")).compiled().instance(0);
        Schema schema = COMPILER.project(Scope.of(plan.result()), List.of("s.b", "size(l) AS n", "upper(t) AS u",
                "substring(s.b, 2, 3) AS z", "m['m'] AS m", "transform(l, x -> concat(x, t)) AS x", "hash(s, l) AS h",
                "d + 1 AS d")).result();
        PacketRow row = ValueType.row(plan.result());
        SplittableRandom random = new SplittableRandom(7);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = good.copy();
            for (int k = 0; k <= round % 3; k++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            Packet packet = new Packet(plan.result().layout());
            try {
                packet.wrap(bytes, 0, bytes.length);
                row.on(packet).copy();
                Packets.apply(reader, schema, packet);
            } catch (MalformedPacketException e) {
                refused++;
            } catch (org.apache.spark.SparkArithmeticException | org.apache.spark.SparkRuntimeException e) {
                continue;       // the bytes are a packet, its values make Spark's function fail
            }
        }
        assertTrue(refused > 1000, refused + " refused");
    }
}
