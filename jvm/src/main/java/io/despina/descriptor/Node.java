package io.despina.descriptor;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON value and its place. */
public sealed interface Node {

    Place place();

    /** The kind of value, with an article, for messages. */
    String what();

    /** Members in the file's order. */
    record Obj(Place place, Map<String, Node> members) implements Node {
        public Obj {
            members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
        }

        @Override
        public String what() {
            return "an object";
        }

        /** The member of that name, or null. */
        public Node get(String name) {
            return members.get(name);
        }
    }

    record Arr(Place place, List<Node> items) implements Node {
        public Arr {
            items = List.copyOf(items);
        }

        @Override
        public String what() {
            return "an array";
        }
    }

    record Str(Place place, String value) implements Node {
        @Override
        public String what() {
            return "a string";
        }
    }

    /** @param text as in the file */
    record Num(Place place, String text) implements Node {
        @Override
        public String what() {
            return "the number " + text;
        }
    }

    record Bool(Place place, boolean value) implements Node {
        @Override
        public String what() {
            return Boolean.toString(value);
        }
    }

    record Null(Place place) implements Node {
        @Override
        public String what() {
            return "null";
        }
    }
}
