package io.despina.descriptor;

/** What operators do, broadly: each family has a page of the reference. In the order of the pages. */
public enum Family {
    SOURCES("sources", "Sources", "They bring packets into a graph."),
    SINKS("sinks", "Sinks", "They take packets out of a graph."),
    PACKETS("packets", "One packet at a time", "They look at packets one by one, and keep nothing of them afterwards."),
    GROUPS("groups", "Groups in event order", "They keep something for each group of packets, and take the packets of a group "
            + "in event order."),
    WINDOWS("windows", "Windows", "They gather packets in windows, and give rows when a window ends."),
    JOINS("joins", "Joins and tables", "They bring together packets of two streams, or packets and rows of a table."),
    CLASSES("classes", "Code of yours", "They run a class of a jar of yours (docs/java-operators.md), or a Python function of "
            + "yours (docs/python-functions.md)."),
    EXPERIMENTS("experiments", "For experiments", "They measure what the engine itself can do. Their packets come from a "
            + "`generator_source` whose `rows` are of type `packets`: each has a sequence number, the time at which it was due, "
            + "and a payload of which every byte can be checked.");

    private final String page;
    private final String title;
    private final String doc;

    Family(String page, String title, String doc) {
        this.page = page;
        this.title = title;
        this.doc = doc;
    }

    /** The name of its page's file, without the ending. */
    public String page() {
        return page;
    }

    String title() {
        return title;
    }

    String doc() {
        return doc;
    }
}
