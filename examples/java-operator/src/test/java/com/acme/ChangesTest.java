package com.acme;

/** What needs no engine is tested without one. Any test framework will do; this one needs none. */
public final class ChangesTest {

    private ChangesTest() {
    }

    public static void main(String[] args) {
        check(Changes.isChange(20, 20.5, 0.5), "half a degree up");
        check(Changes.isChange(20, 19.5, 0.5), "half a degree down");
        check(!Changes.isChange(20, 20.4, 0.5), "less than that");
        System.out.println("3 checks passed");
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
