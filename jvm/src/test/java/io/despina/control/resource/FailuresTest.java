package io.despina.control.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.buffer.BudgetException;
import io.despina.control.protocol.Refusal;
import io.despina.runtime.task.TaskFailedException;
import org.junit.jupiter.api.Test;

class FailuresTest {
    @Test
    void anOperatorThatGetsNoMemoryFailsForWantOfMemory() {
        Refusal refusal = Failures.refusal(new TaskFailedException("sink", 3, new BudgetException("holds 5 bytes")));
        assertEquals("memory", refusal.rule());
        assertEquals("sink", refusal.operator());
        assertEquals("operator sink, instance 3: holds 5 bytes", refusal.getMessage());
    }

    @Test
    void anyOtherFailureIsTheOperators() {
        assertEquals("operator", Failures.refusal(new TaskFailedException("sink", 3, new IllegalStateException("x"))).rule());
    }
}
