package io.despina.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class HiddenWordsTest {
    private final HiddenWords hidden = new HiddenWords();

    @Test
    void theLatestAreHiddenHoweverManyThereWere() {
        hidden.add("always");
        for (int k = 0; k < 1000; k++) {
            hidden.add("token-" + k);
            hidden.add("always");
        }
        assertEquals("… …", hidden.hide("always token-999"));
    }

    @Test
    void oneWithinAnotherIsHiddenWithIt() {
        hidden.add("a/b");
        hidden.add("a/bc");
        assertEquals("… … … …", hidden.hide("a/b a/bc a%2Fb a%2Fbc"));
    }
}
