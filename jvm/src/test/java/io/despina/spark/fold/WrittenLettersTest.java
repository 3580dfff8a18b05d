package io.despina.spark.fold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.PacketFold;
import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.plan.Planner;
import java.util.List;
import org.junit.jupiter.api.Test;

class WrittenLettersTest {
    private static final WrittenLetters LETTERS = new WrittenLetters("tried", """
            {"type": "struct", "fields": [
              {"name": "reason", "type": "string", "nullable": true, "metadata": {}},
              {"name": "record", "type": "string", "nullable": true, "metadata": {}},
              {"name": "row", "nullable": true, "metadata": {}, "type": {"type": "struct", "fields": [
                {"name": "n", "type": "long", "nullable": false, "metadata": {}},
                {"name": "word", "type": "string", "nullable": true, "metadata": {}}]}}]}
            """);

    private final PacketFold.Results results = LETTERS.begin();

    private List<Object> letter(Object... bad) {
        Schema columns = LETTERS.inputs().get(0);
        byte[] bytes = Rows.encode(columns, List.of(Rows.row(bad)));
        Packet packet = new Packet(columns.layout());
        packet.wrap(bytes, 0, bytes.length);
        results.take(0, packet);
        assertTrue(results.next());
        Packet made = results.packet();
        List<Object> letter = Rows.decode(Planner.ERRORS, made.bytes(), made.start(), made.end()).get(0);
        assertFalse(results.next());
        return letter;
    }

    @Test
    void aRowIsWrittenAndARecordStays() {
        assertEquals(List.of("why", "tried", "{\"n\": 7, \"word\": null}"), letter("why", null, Rows.row(7L, null)));
        assertEquals(List.of("why", "tried", "timer of 3"), letter("why", "timer of 3", null));
    }

    @Test
    void oneMayBeLongerThanThoseBefore() {
        String word = "x".repeat(100_000);
        assertEquals(List.of("why", "tried", "{\"n\": 7, \"word\": \"" + word + "\"}"), letter("why", null, Rows.row(7L, word)));
        assertEquals(List.of("", "tried", ""), letter("", "", null));
        results.end();
        assertFalse(results.next());
    }
}
