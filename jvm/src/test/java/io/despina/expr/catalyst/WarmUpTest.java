package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.ExpressionException;
import org.junit.jupiter.api.Test;

class WarmUpTest {

    @Test
    void anEditIsAnalysedUpToTheMistakeThatIsMeant() {
        CatalystCompiler compiler = new CatalystCompiler(true, "UTC");
        ExpressionException mistake = assertThrows(ExpressionException.class, () -> WarmUp.edit(compiler, 3));
        assertTrue(mistake.getMessage().contains("missing_r3"), mistake.getMessage());
    }

    @Test
    void whoWillEditIsWarmedUpWithoutAnError() {
        assertDoesNotThrow(WarmUp::forEdits);
    }
}
