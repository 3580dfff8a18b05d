package io.despina.descriptor;

import java.util.List;
import java.util.function.Supplier;

/** What a field of the graph file may hold. The checker, the JSON schema and the reference page read it. */
public sealed interface Kind {

    /**
     * Text in which parameters are filled in.
     *
     * @param mostBytes as UTF-8, when they are
     */
    record Text(int mostBytes) implements Kind {
        Text() {
            this(Integer.MAX_VALUE);
        }
    }

    /** Text for people: parameters are not filled in. */
    record Doc() implements Kind {
    }

    /** A whole number, both ends in. {@code "${n}"} may stand for it. */
    record Whole(long min, long max) implements Kind {
    }

    /** A number. {@code "${n}"} may stand for it. */
    record Real(double min, boolean minExcluded) implements Kind {
    }

    /** true or false. {@code "${n}"} may stand for it. */
    record Flag() implements Kind {
    }

    /** One of some words. */
    record Words(List<Word> words) implements Kind {
        public Words {
            words = List.copyOf(words);
        }

        public List<String> names() {
            return words.stream().map(Word::name).toList();
        }
    }

    record Word(String name, String doc) {
    }

    /** Spark SQL text: a string, or an array of lines. */
    record Expression() implements Kind {
    }

    /** A schema as Spark DDL. */
    record Ddl() implements Kind {
    }

    /** An array. */
    record ListOf(Kind item, int min) implements Kind {
    }

    /**
     * An object whose keys the author chooses.
     *
     * @param keyPattern a regular expression that every key matches, or null
     * @param keyDoc     what a key is
     */
    record MapOf(String keyPattern, String keyDoc, Kind value) implements Kind {
    }

    /** An object of declared fields. */
    record Fields(Section section) implements Kind {
    }

    /** An object whose {@code type} says which section's fields it has. */
    record Variant(String name, List<Section> sections) implements Kind {
        public Variant {
            sections = List.copyOf(sections);
        }

        /** The section of that word, or null. */
        public Section section(String word) {
            return sections.stream().filter(s -> s.name().equals(word)).findFirst().orElse(null);
        }

        public List<String> names() {
            return sections.stream().map(Section::name).toList();
        }
    }

    /** For a kind that holds itself: looked up when it is used. */
    record Later(String name, Supplier<Kind> kind) implements Kind {
    }
}
