/** Operators whose work a Python function does, in a process of its own. */
package io.despina.operator.python;
