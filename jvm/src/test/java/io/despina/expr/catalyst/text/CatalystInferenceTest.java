package io.despina.expr.catalyst.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CatalystInferenceTest {

    private static String csv(Map<String, String> options, String... lines) {
        return CatalystInference.of("csv", List.of(lines), options, "UTC").schema();
    }

    private static String json(String... lines) {
        return CatalystInference.of("json", List.of(lines), Map.of(), "UTC").schema();
    }

    @Test
    void aCsvHeaderNamesTheColumnsAndAllRecordsDecideTheirTypes() {
        assertEquals("id INT,at TIMESTAMP,day DATE,`room name` STRING,mean DOUBLE,ok BOOLEAN,big BIGINT",
                csv(Map.of("header", "true"), "id,at,day,room name,mean,ok,big",
                        "1,2026-01-01 10:00:00,2026-01-01,kitchen,20,true,1",
                        "2,2026-01-01T10:00:01Z,2026-01-02,,20.5,false,3000000000"));
    }

    @Test
    void withoutAHeaderColumnsAreNumbered() {
        assertEquals("_c0 INT,_c1 STRING", csv(Map.of("sep", "\t"), "1\ta", "2\tb"));
    }

    @Test
    void aColumnThatIsAlwaysEmptyIsAString() {
        assertEquals("a INT,b STRING", csv(Map.of("header", "true"), "a,b", "1,"));
    }

    @Test
    void jsonIsNested() {
        assertEquals("at TIMESTAMP,id BIGINT,`odd name` DOUBLE,tags ARRAY<STRING>,where STRUCT<floor: BIGINT, room: STRING>",
                json("{\"id\": 1, \"at\": \"2026-01-01T10:00:00Z\", \"where\": {\"room\": \"k\"}, \"tags\": []}",
                        "{\"id\": 2, \"odd name\": 1, \"where\": {\"floor\": 3}, \"tags\": [\"a\"]}", "", "{\"odd name\": 1.5}"));
    }

    @Test
    void eachElementOfAnArrayIsARecord() {
        assertEquals("a BIGINT,b DOUBLE", json("[{\"a\": 1}, {\"b\": 2}]", "[]", "{\"b\": 2.5}"));
    }

    @Test
    void whatIsNoRecordIsRefused() {
        assertEquals("line 2 is not a JSON object",
                assertThrows(IllegalArgumentException.class, () -> json("{\"a\": 1}", "1")).getMessage());
        assertEquals("line 1 is not a JSON object, nor an array of such; take the lines apart yourself: read them with format "
                + "text and select from_json(value, 'ARRAY<DOUBLE>')",
                assertThrows(IllegalArgumentException.class, () -> json("[1, 2.5]")).getMessage());
        assertEquals("line 1 is not a JSON object: the line goes on behind its JSON value: each record needs a line of its own",
                assertThrows(IllegalArgumentException.class, () -> json("{\"a\": 1}{\"b\": 1}")).getMessage());
        assertThrows(IllegalArgumentException.class, () -> json("{\"a\": 1"));
        assertThrows(IllegalArgumentException.class, () -> csv(Map.of("header", "true"), ""));
        assertThrows(IllegalArgumentException.class, () -> csv(Map.of("header", "perhaps"), "a"));
    }
}
