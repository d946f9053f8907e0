import React from "react";

interface Props {
//        ^^^^^ interface Props
  label: string;
}

export const Button: React.FC<Props> = ({ label }) => {
//           ^^^^^^ function Button
  const [count, setCount] = React.useState(0);
  const onClick = () => setCount(count + 1);
//      ^^^^^^^ function Button.onClick
  return <button onClick={onClick}>{label}: {count}</button>;
};

export default function App(): JSX.Element {
//                      ^^^ function App
  return (
    <>
      <Button label="press" />
    </>
  );
}

export class Legacy extends React.Component<Props> {
//           ^^^^^^ class Legacy
  handle = (): void => {};
//^^^^^^ method Legacy.handle
  render() { return <div>{this.props.label}</div>; }
//^^^^^^ method Legacy.render
}

const Memo = React.memo(Button);
//    ^^^^ constant Memo
