package io.despina.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.control.protocol.GivenJson;
import io.despina.control.protocol.Refusal;
import org.junit.jupiter.api.Test;

class GatewayTest {
    @Test
    void whatNestsTooDeepIsRefused() throws Exception {
        JsonNode answer = GivenJson.parseObject(Answers.json(() -> {
            throw new StackOverflowError();
        }), "answer");
        assertEquals("nesting", answer.at("/error/rule").asText());
    }

    @Test
    void errorsAreAnswersToo() throws Exception {
        JsonNode answer = GivenJson.parseObject(Answers.json(() -> {
            throw new AssertionError("it cannot be");
        }), "answer");
        assertEquals("internal", answer.at("/error/rule").asText());
        assertTrue(answer.at("/error/message").asText().contains("it cannot be"));
    }

    @Test
    void anUnknownSinkHasNoRows() {
        assertEquals(0, Answers.rows(() -> {
            throw new Refusal("sink", "no collect_sink `s` in job j", null);
        }).length);
    }

    @Test
    void rowsThatAreLostFailTheCall() {
        assertThrows(IllegalStateException.class, () -> Answers.rows(() -> {
            throw new IllegalStateException("no room for a batch");
        }));
    }

    @Test
    void memoryThatHasRunOutIsNoAnswer() {
        assertThrows(OutOfMemoryError.class, () -> Answers.json(() -> {
            throw new OutOfMemoryError();
        }));
    }
}
