package io.despina.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

class AskedUrlTest {
    private static String resolved(String from, String to) {
        return AskedUrl.resolved(URI.create(from), to).toString();
    }

    @Test
    void whatAnAnswerNamesIsFoundAsBrowsersFindIt() {
        assertEquals("http://h/a/b?page=2", resolved("http://h/a/b?page=1", "?page=2"));
        assertEquals("http://h/a/c", resolved("http://h/a/b?page=1", "c#top"));
        assertEquals("http://h/c", resolved("http://h/a/b", " /c "));
        assertEquals("http://h/c", resolved("http://h", "c"));
        assertEquals("http://h/c?d", resolved("http://h?e", "c?d"));
        assertEquals("http://h/a?b", resolved("http://h/a?b", ""));
        assertEquals("http://g/c", resolved("http://h/a", "//g/c"));
    }

    @Test
    void aParameterIsAddedOrLeftOut() {
        assertEquals("http://h/a?b=c%2Fd", AskedUrl.with(URI.create("http://h/a"), "b", "c/d").toString());
        assertEquals("http://h/a?x=1&b=c", AskedUrl.with(URI.create("http://h/a?x=1"), "b", "c").toString());
        assertEquals("http://h/a?x=1", AskedUrl.without(URI.create("http://h/a?key=k&x=1"), List.of("key")).toString());
        assertEquals("http://h/a", AskedUrl.without(URI.create("http://h/a?key=k"), List.of("key")).toString());
    }
}
