package io.despina.catalogue.field;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowFieldsTest {
    /** A state that is there has no count, which a condition on columns does not need. */
    @ParameterizedTest
    @CsvSource({"window.count > 3, true", "v = 9 OR `Window` . age_ms > 5, true", "NOT(window.count<3), true",
        "window_id > 3, false", "my_window > 3, false", "a.window.x > 3, false", "window_id.x > 3, false", "v = 9, false"})
    void aConditionAsksTheWindowIfItNamesAValueOfIt(String condition, boolean asks) {
        assertEquals(asks, WindowFields.asksTheWindow(Schema.of(new Column("v", Type.Simple.INT, true)), condition));
        assertFalse(WindowFields.asksTheWindow(Schema.of(new Column("Window", Type.Simple.INT, true)), condition));
    }
}
