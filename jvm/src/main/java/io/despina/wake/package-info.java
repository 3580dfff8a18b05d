/** How a task is made runnable, whatever it waits for. Imports no other package. */
package io.despina.wake;
